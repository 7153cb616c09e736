import { deepEqual } from '../../src/api/equality.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'

/** The comparison of berth's answer to one golden case with the answer of Kubernetes. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly got: unknown }

/**
 * Asks berth of a release the question of one line. Registered in `areas.ts` under the name of the golden file. A runner that throws
 * fails its case.
 */
export type AreaRunner = (given: never, want: never, release: KubernetesRelease) => Verdict

export const pass: Verdict = { ok: true }

/** Passes when both are the same JSON. */
export function expectEqual(got: unknown, want: unknown): Verdict {
  return deepEqual(got, want) ? pass : { ok: false, got }
}

/** For areas whose error texts need not match exactly: passes when there is an error at all. */
export function expectError(message: string | undefined): Verdict {
  return message !== undefined ? pass : { ok: false, got: 'no error' }
}
