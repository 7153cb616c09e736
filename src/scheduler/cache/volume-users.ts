import { inTreePluginOf } from '../../api/csi-migration.ts'
import type { VolumeAttachment } from '../../api/objects/storage.ts'
import type { ParsedPod } from '../framework/parsed-pod.ts'

type Uses = Map<string, Map<string, number>>

/** On which nodes claims and volumes are used: what is attached to a node hangs on objects that are not on it. */
export class VolumeUsers {
  /** Of pods, by claim and node. */
  private readonly claims: Uses = new Map()
  /** The claims of generic ephemeral volumes, which belong to one pod each. */
  private readonly ephemeral: Uses = new Map()
  /** Of attachments, by volume and node. */
  private readonly attached: Uses = new Map()
  private inline = 0

  countPod(pod: ParsedPod, node: string, sign: 1 | -1): void {
    for (const claim of pod.shape.claims) count(this.claims, claim, node, sign)
    const { metadata, spec } = pod.pod
    if (spec.volumes === undefined) return
    for (const volume of spec.volumes) {
      if (volume.ephemeral !== undefined) {
        count(this.ephemeral, `${metadata.namespace ?? ''}/${metadata.name}-${volume.name}`, node, sign)
      } else if (inTreePluginOf(volume) !== undefined) this.inline += sign
    }
  }

  countAttachment({ spec }: VolumeAttachment, sign: 1 | -1): void {
    const volume = spec.source.persistentVolumeName
    if (volume !== undefined) count(this.attached, volume, spec.nodeName, sign)
  }

  /** Whether any pod names the claim (`namespace/name`). */
  isClaimUsed(claim: string): boolean {
    return this.claims.has(claim)
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
