import { version } from '../base/version.ts'
import type { Fork } from './fork.ts'
import type { Provenance } from './workspace.ts'

export function provenanceOf({ snapshot, how }: Fork): Provenance {
  return {
    snapshot: snapshot.id,
    sha256: snapshot.hash,
    kubernetes: `v${how.settings.release.version}`,
    seed: how.seed,
    berth: version,
  }
}

export function provenanceText({ snapshot, sha256, kubernetes, seed, berth }: Provenance): string {
  return `Snapshot ${snapshot} (sha256 ${sha256}), Kubernetes ${kubernetes}, seed ${seed}, berth ${berth}.`
}
