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

/**
 * What the validator says of an output and does not say of the file that the character came from: hierarchies stay as
 * they are, also where the validator would have them otherwise (skinned meshes that are no roots).
 */
export async function newMessages(source, output) {
  const [before, after] = [await validate(source), await validate(output)];
  const known = new Set(before.messages.map((message) => message.replace(/\d+/g, '#')));
  return after.messages.filter((message) => !known.has(message.replace(/\d+/g, '#')));
}
