/**
 * A part of the program cannot run with the given configuration. Not a bug: the message says what is wrong and what is
 * valid.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal'
}
