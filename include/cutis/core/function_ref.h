#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace cutis {

template <class Signature>
class FunctionRef;

/// Something callable, borrowed for the duration of a call: two pointers, never an allocation
/// (std::function allocates once a lambda captures more than two references).
///
/// For parameters only (a plain function is wrapped in a lambda). It does not keep what it refers
/// to alive: do not store it, and do not initialise a variable of this type from a lambda
/// expression.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
    template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_object_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
        // The condition leaves copying alone; implicit, so that a lambda is passed as it is.
        // NOLINTNEXTLINE(bugprone-forwarding-reference-overload,google-explicit-constructor)
        FunctionRef(Callable&& callable)
        : target_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
          call_([](void* target, Arguments... arguments) -> Result {
              return (*static_cast<std::add_pointer_t<std::remove_reference_t<Callable>>>(target))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(target_, std::forward<Arguments>(arguments)...); }

private:
    void* target_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace cutis
