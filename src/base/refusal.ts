/**
 * A part of the program cannot run with the given configuration. This is not a bug: the message states the problem and
 * the valid values.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal'
}
