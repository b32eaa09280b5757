// The Khronos glTF validator.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

/** {errors, warnings, messages}: messages lists each error and warning in one line. */
export async function validate(file) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 50,
  });
  const { numErrors, numWarnings, messages } = report.issues;
  return {
    errors: numErrors,
    warnings: numWarnings,
    messages: messages
      .filter((m) => m.severity < 2)
      .map((m) => `${m.code} at ${m.pointer ?? m.offset}: ${m.message}`),
    info: report.info,
  };
}
