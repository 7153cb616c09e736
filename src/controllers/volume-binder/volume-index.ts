import { objectKey } from '../../api/object-key.ts'
import type { AccessMode, PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { offersModes } from '../../api/persistent-volumes.ts'
import { suitableVolumes } from '../../api/volume-matching.ts'

interface ModeGroup {
  readonly modes: readonly AccessMode[]
  readonly free: Map<string, PersistentVolume>
}

export interface VolumeChange {
  readonly key: string
  readonly before?: PersistentVolume
  readonly after?: PersistentVolume
}

/** Volumes that a claim may get: available volumes by access modes, reserved volumes by claim (v1.36, pv index). */
export class VolumeIndex {
  private readonly groups = new Map<string, ModeGroup>()
  private readonly promised = new Map<string, Map<string, PersistentVolume>>()

  note({ key, before, after }: VolumeChange): void {
    if (before !== undefined) {
      this.groups.get(modesText(before))?.free.delete(key)
      const claim = claimKeyOf(before)
      const volumes = claim === undefined ? undefined : this.promised.get(claim)
      volumes?.delete(key)
      if (claim !== undefined && volumes?.size === 0) this.promised.delete(claim)
    }
    if (after === undefined) return
    const claim = claimKeyOf(after)
    if (claim === undefined) this.groupOf(after).free.set(key, after)
    else if (this.promised.get(claim)?.set(key, after) === undefined) this.promised.set(claim, new Map([[key, after]]))
  }

  /**
   * The volume for a claim: among the volumes with the fewest access modes beyond the requested ones, the reserved one,
   * or otherwise the smallest. With WaitForFirstConsumer, the scheduler selects among the available volumes.
   */
  bestFor(
    claim: PersistentVolumeClaim,
    { onlyPromised, isTaken }: { readonly onlyPromised: boolean; readonly isTaken: (volume: string) => boolean },
  ): PersistentVolume | undefined {
    const wanted = claim.spec.accessModes ?? []
    const own = [...(this.promised.get(objectKey(claim.metadata.namespace, claim.metadata.name))?.values() ?? [])]
    const groups = new Map<string, { readonly modes: readonly AccessMode[]; readonly volumes: PersistentVolume[] }>()
    if (!onlyPromised) {
      for (const [text, { modes, free }] of this.groups) {
        if (free.size === 0 || !offersModes(modes, wanted)) continue
        groups.set(text, { modes, volumes: [...free.values()].filter(({ metadata }) => !isTaken(metadata.name)) })
      }
    }
    for (const volume of own) {
      const modes = modesOf(volume)
      if (!offersModes(modes, wanted)) continue
      const group = groups.get(modesText(volume))
      if (group === undefined) groups.set(modesText(volume), { modes, volumes: [volume] })
      else group.volumes.push(volume)
    }
    for (const { volumes } of [...groups.values()].sort((a, b) => a.modes.length - b.modes.length)) {
      const { promised, free } = suitableVolumes(claim, volumes)
      const best = promised[0] ?? free[0]
      if (best !== undefined) return best
    }
    return undefined
  }

  private groupOf(volume: PersistentVolume): ModeGroup {
    const text = modesText(volume)
    let group = this.groups.get(text)
    if (group === undefined) {
      group = { modes: modesOf(volume), free: new Map() }
      this.groups.set(text, group)
    }
    return group
  }
}

/** The key of the claim that a volume is reserved for or bound to. */
export function claimKeyOf({ spec }: PersistentVolume): string | undefined {
  const { claimRef } = spec
  return claimRef?.name === undefined ? undefined : objectKey(claimRef.namespace, claimRef.name)
}

function modesOf({ spec }: PersistentVolume): readonly AccessMode[] {
  return [...new Set(spec.accessModes)].sort()
}

function modesText(volume: PersistentVolume): string {
  return modesOf(volume).join()
}
