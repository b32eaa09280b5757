"""What all validators of usd-core (UsdValidation) say of stages, as a JSON object: a list of messages for each file.

build/peers-python/bin/python validate_usd.py STAGE.usda...
"""

import json
import sys

from pxr import Usd, UsdValidation


def main():
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    context = UsdValidation.ValidationContext(validators)
    found = {}
    for name in sys.argv[1:]:
        errors = context.Validate(Usd.Stage.Open(name))
        found[name] = [f"{error.GetName()}: {error.GetMessage()}" for error in errors]
    print(json.dumps({"validators": len(validators), "messages": found}))


main()
