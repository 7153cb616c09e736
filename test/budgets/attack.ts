import type { RandomStream } from '../../src/base/random.ts'

/** One request of the suite. Bodies are bounded by the server's own limit of 3 MiB. */
export interface Attack {
  /** The target and the kind of the attack, for tables and messages: `Pod spec.volumes[].quobyte.registry, ":" x 60000`. */
  readonly name: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/**
 * Attacks of one kind. A source is a file in `sources/` and a line in `sources.ts`. `attacks` may be finite or infinite: the
 * quick form takes the first few, the long form starts it again with another stream until its time is up. It draws
 * only from the stream, so that a seed names a run.
 */
export interface AttackSource {
  readonly name: string
  /** Requests before the first attack, for example a CustomResourceDefinition. Each must succeed. */
  readonly setup?: readonly Attack[]
  attacks(random: RandomStream): Iterable<Attack>
  /** The number of attacks of the quick form (default 20). */
  readonly quickCount?: number
}

/** All objects that attacks create are in this namespace, or have no namespace. */
export const attackNamespace = 'attacks'
