import { attachedVolumeOf, inTreePluginOf } from '../../../api/csi-migration.ts'
import type { PersistentVolume, VolumeAttachment } from '../../../api/objects/storage.ts'
import type { ParsedPod } from '../../contract/parsed-pod.ts'

type UsesByNode = Map<string, Map<string, number>>

/**
 * The nodes on which claims and volumes are used. The volumes that are attached to a node depend on objects other than
 * the node.
 */
export class VolumeUsers {
  /** UsesByNode by pods, by claim and node. */
  private readonly claims: UsesByNode = new Map()
  /** The claims of generic ephemeral volumes, each of which belongs to one pod. */
  private readonly ephemeral: UsesByNode = new Map()
  /** Attachments by volume and node. */
  private readonly attached: UsesByNode = new Map()
  /** The number of persistent volumes with the same driver handle. */
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

  /** Reports whether exactly one persistent volume has this driver handle. */
  isSingle(name: string): boolean {
    return this.volumes.get(name) === 1
  }

  /** Reports whether the claim belongs to a generic ephemeral volume of a pod. */
  isClaimEphemeral(claim: string): boolean {
    return this.ephemeral.has(claim)
  }

  /** Reports whether a pod names the claim (`namespace/name`). */
  isClaimUsed(claim: string): boolean {
    return this.claims.has(claim)
  }

  /**
   * Reports whether a pod has volumes that may not be countable: its claims may be missing or belong to another pod.
   */
  get hasUncertain(): boolean {
    return this.uncertain > 0
  }

  /** Reports whether a pod has an inline cloud disk. */
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

function count(uses: UsesByNode, what: string, node: string, sign: 1 | -1): void {
  const nodes = uses.get(what) ?? new Map<string, number>()
  const left = (nodes.get(node) ?? 0) + sign
  if (left > 0) nodes.set(node, left)
  else nodes.delete(node)
  if (nodes.size > 0) uses.set(what, nodes)
  else uses.delete(what)
}
