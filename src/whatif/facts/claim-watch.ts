import { objectKey } from '../../api/object-key.ts'
import type { AllocationResult, ResourceClaim } from '../../api/objects/devices.ts'
import { isPodReference } from '../../api/pod-claims.ts'

/** The devices of a claim that are allocated or released during a run. */
export interface ClaimStory {
  /** `namespace/name` of the claim. */
  readonly claim: string
  readonly allocation: AllocationResult
  /** The pods that used it, as `namespace/name`. */
  readonly pods: Set<string>
  /** Absent: it was allocated before the start. */
  readonly allocatedMs?: number
  /** Absent: it is allocated at the end. */
  releasedMs?: number
}

/** Follows the allocations of ResourceClaims. */
export class ClaimWatch {
  /** Allocations that began or ended, in the order of their first change. */
  private readonly told: ClaimStory[] = []
  private readonly current = new Map<string, ClaimStory>()

  /** Allocations that began or ended. */
  get stories(): readonly ClaimStory[] {
    return this.told.filter(({ allocatedMs, releasedMs }) => allocatedMs !== undefined || releasedMs !== undefined)
  }

  take(key: string, before: ResourceClaim | undefined, after: ResourceClaim | undefined, atMs: number): void {
    const held = before?.status?.allocation
    const holds = after?.metadata.uid === before?.metadata.uid ? after?.status?.allocation : undefined
    if (before !== undefined && held !== undefined) {
      const story = this.current.get(key) ?? this.begin({ claim: key, allocation: held, pods: new Set() })
      addPods(story, before)
      if (holds === undefined) {
        story.releasedMs = atMs
        this.current.delete(key)
      }
    }
    const allocation = after?.status?.allocation
    if (after === undefined || allocation === undefined) return
    const story = this.current.get(key) ?? this.begin({ claim: key, allocation, pods: new Set(), allocatedMs: atMs })
    addPods(story, after)
  }

  private begin(story: ClaimStory): ClaimStory {
    this.told.push(story)
    this.current.set(story.claim, story)
    return story
  }
}

function addPods({ pods }: ClaimStory, { metadata, status }: ResourceClaim): void {
  for (const reference of status?.reservedFor ?? []) {
    if (isPodReference(reference)) pods.add(objectKey(metadata.namespace, reference.name))
  }
}
