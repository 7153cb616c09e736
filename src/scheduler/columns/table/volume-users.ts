import { attachedVolumeOf, inTreePluginOf } from '../../../api/csi-migration.ts'
import type { PersistentVolume, VolumeAttachment } from '../../../api/objects/storage.ts'
import type { ParsedPod } from '../../contract/parsed-pod.ts'

type Uses = Map<string, Map<string, number>>

/** On which nodes claims and volumes are used: what is attached to a node hangs on objects that are not on it. */
export class VolumeUsers {
  /** Of pods, by claim and node. */
  private readonly claims: Uses = new Map()
  /** The claims of generic ephemeral volumes, which belong to one pod each. */
  private readonly ephemeral: Uses = new Map()
  /** Of attachments, by volume and node. */
  private readonly attached: Uses = new Map()
  /** How many persistent volumes are one and the same to a driver. */
  private readonly volumes = new Map<string, number>()
  private inline = 0
  private uncertain = 0

  countPod(pod: ParsedPod, node: string, sign: 1 | -1): void {
    for (const claim of pod.shape.claims) count(this.claims, claim, node, sign)
    const { metadata, spec } = pod.pod
    if (spec.volumes === undefined) return
    for (const volume of spec.volumes) {
      if (volume.ephemeral !== undefined) {
        count(this.ephemeral, `${metadata.namespace ?? ''}/${metadata.name}-${volume.name}`, node, sign)
        this.uncertain += sign
      } else if (inTreePluginOf(volume) !== undefined) this.inline += sign
      else if (volume.persistentVolumeClaim?.claimName === '') this.uncertain += sign
    }
  }

  countAttachment({ spec }: VolumeAttachment, sign: 1 | -1): void {
    const volume = spec.source.persistentVolumeName
    if (volume !== undefined) count(this.attached, volume, spec.nodeName, sign)
  }

  countVolume(volume: PersistentVolume, sign: 1 | -1): void {
    const name = attachedVolumeOf(volume)?.name
    if (name === undefined) return
    const left = (this.volumes.get(name) ?? 0) + sign
    if (left > 0) this.volumes.set(name, left)
    else this.volumes.delete(name)
  }

  /** Whether one persistent volume, and no more than one, is what the driver knows by that name. */
  isSingle(name: string): boolean {
    return this.volumes.get(name) === 1
  }

  /** Whether a pod has the claim for an ephemeral volume. */
  isClaimEphemeral(claim: string): boolean {
    return this.ephemeral.has(claim)
  }

  /** Whether any pod names the claim (`namespace/name`). */
  isClaimUsed(claim: string): boolean {
    return this.claims.has(claim)
  }

  /** Whether the volumes of any pod may turn out to be beyond counting: its claims may be somebody else's, or nobody's. */
  get hasUncertain(): boolean {
    return this.uncertain > 0
  }

  /** Whether any pod has a disk of a cloud in its own spec. */
  get hasInline(): boolean {
    return this.inline > 0
  }

  *ofClaim(claim: string): Iterable<string> {
    yield* this.claims.get(claim)?.keys() ?? []
    yield* this.ephemeral.get(claim)?.keys() ?? []
  }

  ofAttachments(volume: string): Iterable<string> {
    return this.attached.get(volume)?.keys() ?? []
  }
}

function count(uses: Uses, what: string, node: string, sign: 1 | -1): void {
  const nodes = uses.get(what) ?? new Map<string, number>()
  const left = (nodes.get(node) ?? 0) + sign
  if (left > 0) nodes.set(node, left)
  else nodes.delete(node)
  if (nodes.size > 0) uses.set(what, nodes)
  else uses.delete(what)
}
