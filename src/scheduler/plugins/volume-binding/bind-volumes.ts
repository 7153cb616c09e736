import type { Call, Outcome } from '../../../api/call.ts'
import { updateCall } from '../../../api/object-calls.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { CSINode, PersistentVolume, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { isFullyBound, matchReach } from '../../../api/persistent-volumes.ts'
import { annotations } from '../../../api/well-known.ts'
import {
  failure,
  type ObjectReader,
  type ParsedPod,
  type PreBindProgress,
  type PreBindTurn,
} from '../../contract/contract.ts'
import { affinityOn } from './claims.ts'
import type { PodVolumes } from './find-volumes.ts'

// v1.36, volumebinding BindPodVolumes polls once per second.
const pollMs = 1000

type BindingCheck =
  | { readonly kind: 'bound' }
  | { readonly kind: 'not yet' }
  | { readonly kind: 'failed'; readonly why: string }

const bound: BindingCheck = { kind: 'bound' }
const notYet: BindingCheck = { kind: 'not yet' }
const broken = (why: string): BindingCheck => ({ kind: 'failed', why })

/**
 * Binds the volumes of a decision: writes the objects one by one, then polls once per second until the volume binder
 * and the provisioners are done.
 */
export class BindingWork {
  private readonly timeoutMs: number
  private readonly volumes: PersistentVolume[]
  private readonly claimsOfVolumes: readonly PersistentVolumeClaim[]
  private readonly claims: PersistentVolumeClaim[]
  private written = 0
  private pollAt: number | undefined
  private giveUpAt = 0

  constructor({ bindings, provisions }: PodVolumes, timeoutMs: number) {
    this.timeoutMs = timeoutMs
    this.volumes = bindings.map(({ volume }) => volume)
    this.claimsOfVolumes = bindings.map(({ claim }) => claim)
    this.claims = [...provisions]
  }

  step(pod: ParsedPod, node: string, turn: PreBindTurn): PreBindProgress {
    for (const { outcome } of turn.outcomes) {
      if (!outcome.ok) return { kind: 'failed', status: failure(outcome.status.message ?? '') }
      this.takeWritten(outcome)
    }
    const call = this.nextCall()
    if (call !== undefined) return { kind: 'waiting', calls: [call] }
    return this.poll(pod, node, turn)
  }

  private nextCall(): Call | undefined {
    const volume = this.volumes[this.written]
    if (volume !== undefined) return updateCall('persistentvolumes', volume)
    const claim = this.claims[this.written - this.volumes.length]
    return claim === undefined ? undefined : updateCall('persistentvolumeclaims', claim)
  }

  /** The objects that the API server returned must be observed before any conclusion. */
  private takeWritten(outcome: Outcome): void {
    const object = outcome.ok && outcome.kind === 'object' ? outcome.object : undefined
    const at = this.written++
    if (object === undefined) return
    if (at < this.volumes.length) this.volumes[at] = object as PersistentVolume
    else this.claims[at - this.volumes.length] = object as PersistentVolumeClaim
  }

  private poll(pod: ParsedPod, node: string, { objects, now }: PreBindTurn): PreBindProgress {
    if (this.pollAt === undefined) {
      this.pollAt = now + pollMs
      this.giveUpAt = now + this.timeoutMs
    }
    if (now >= this.giveUpAt) return failedBinding('context deadline exceeded')
    if (now >= this.pollAt) {
      const check = this.check(pod, node, objects)
      if (check.kind === 'bound') return { kind: 'done' }
      if (check.kind === 'failed') return failedBinding(check.why)
      while (this.pollAt <= now) this.pollAt += pollMs
    }
    return { kind: 'waiting', deadlineAt: Math.min(this.pollAt, this.giveUpAt) }
  }

  /** Checks whether all volumes are bound (checkBindings). */
  private check(pod: ParsedPod, nodeName: string, objects: ObjectReader): BindingCheck {
    const node = objects.get('nodes', nodeName)
    const quoted = JSON.stringify(nodeName)
    if (node === undefined) return broken(`failed to get node ${quoted}: node ${quoted} not found`)
    if (objects.get('pods', pod.key) === undefined) {
      return broken(`pod does not exist any more: pod ${JSON.stringify(pod.pod.metadata.name)} not found`)
    }
    const csiNode = objects.get('csinodes.storage.k8s.io', nodeName)
    for (const [i, volume] of this.volumes.entries()) {
      const claim = this.claimsOfVolumes[i] as PersistentVolumeClaim
      const check = checkVolume(volume, claim, node, csiNode, objects)
      if (check !== bound) return check
    }
    for (const claim of this.claims) {
      const check = checkClaim(claim, node, csiNode, objects)
      if (check !== bound) return check
    }
    return bound
  }
}

function failedBinding(why: string): PreBindProgress {
  return { kind: 'failed', status: failure(`binding volumes: ${why}`) }
}

function checkVolume(
  written: PersistentVolume,
  claim: PersistentVolumeClaim,
  node: Node,
  csiNode: CSINode | undefined,
  objects: ObjectReader,
): BindingCheck {
  const { name } = written.metadata
  const volume = objects.get('persistentvolumes', name)
  if (volume === undefined) return broken(`failed to check binding: ${missing('persistentvolumes', name)}`)
  const current = objects.get('persistentvolumeclaims', keyOf(claim))
  if (current === undefined) {
    return broken(`failed to check binding: ${missing('persistentvolumeclaims', keyOf(claim))}`)
  }
  if (isOlder(volume, written)) return notYet
  const reach = checkReach(volume, node, csiNode, 'failed to translate pv to csi: ')
  if (reach !== bound) return reach
  if ((volume.spec.claimRef?.uid ?? '') === '') return broken(`ClaimRef got reset for pv ${JSON.stringify(name)}`)
  return isFullyBound(current) ? bound : notYet
}

function checkClaim(
  written: PersistentVolumeClaim,
  node: Node,
  csiNode: CSINode | undefined,
  objects: ObjectReader,
): BindingCheck {
  const key = keyOf(written)
  const claim = objects.get('persistentvolumeclaims', key)
  if (claim === undefined) return broken(`failed to check provisioning pvc: ${missing('persistentvolumeclaims', key)}`)
  if (isOlder(claim, written)) return notYet
  const quoted = JSON.stringify(claim.metadata.name)
  if (claim.metadata.annotations === undefined) return broken(`selectedNode annotation reset for PVC ${quoted}`)
  // A failed provisioner removes the annotation, so that another node can be selected.
  if (claim.metadata.annotations[annotations.selectedNode] !== node.metadata.name) {
    return broken(`provisioning failed for PVC ${quoted}`)
  }
  const volumeName = claim.spec.volumeName ?? ''
  if (volumeName !== '') {
    const volume = objects.get('persistentvolumes', volumeName)
    // The volume may not be observed yet. The volume binder marks a claim whose volume was deleted.
    if (volume === undefined) return notYet
    const reach = checkReach(volume, node, csiNode, '')
    if (reach !== bound) return reach
  }
  return isFullyBound(claim) ? bound : notYet
}

function checkReach(volume: PersistentVolume, node: Node, csiNode: CSINode | undefined, context: string): BindingCheck {
  const reach = affinityOn(volume, csiNode)
  if ('problem' in reach) return broken(`${context}${reach.problem}`)
  const match = matchReach(reach.affinity, node.metadata.labels)
  if (match.matched) return bound
  const [volumeName, nodeName] = [JSON.stringify(volume.metadata.name), JSON.stringify(node.metadata.name)]
  const why = match.error ?? 'no matching NodeSelectorTerms'
  return broken(`pv ${volumeName} node affinity doesn't match node ${nodeName}: ${why}`)
}

function missing(resource: string, key: string): string {
  return `${resource} ${JSON.stringify(key)} not found`
}

function isOlder(seen: KubeObject, written: KubeObject): boolean {
  return Number(seen.metadata.resourceVersion ?? 0) < Number(written.metadata.resourceVersion ?? 0)
}
