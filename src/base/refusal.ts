/**
 * A part of the program declines to run as it is set up. No defect: the message says what is wrong and what would be
 * right, for whoever set it up.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal'
}
