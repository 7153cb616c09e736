import type { Node } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import type { RandomStream } from '../../base/random.ts'
import type { NodeGroup } from './node-group.ts'

/** A machine that was requested and has no Node object yet. */
export interface Instance {
  readonly name: string
  readonly group: NodeGroup
  readonly requestedAt: number
  readonly dueAt: number
  /** Set if the cloud cannot provide the machine. */
  readonly error?: InstanceError
}

export interface InstanceError {
  readonly code: string
  readonly message: string
}

/**
 * The machines of the node groups: target sizes, boot times and stock-outs. It does no I/O: the caller creates the Node
 * objects.
 */
export class NodeCloud {
  private instances: Instance[] = []
  private readonly targets = new Map<string, number>()
  private stockout: (group: NodeGroup) => boolean = () => false

  /** Machines of the matching groups are unavailable. */
  setStockout(matches: (group: NodeGroup) => boolean): void {
    this.stockout = matches
  }

  targetOf(group: NodeGroup): number {
    return this.targets.get(group.name) ?? 0
  }

  /** Sets the target sizes to the number of existing nodes and starting machines. */
  refresh(counts: ReadonlyMap<string, number>, groups: readonly NodeGroup[]): void {
    for (const { name } of groups) {
      const coming = this.instances.filter(({ group }) => group.name === name).length
      this.targets.set(name, (counts.get(name) ?? 0) + coming)
    }
  }

  /** The machines without a Node object. */
  unregistered(): readonly Instance[] {
    return this.instances
  }

  increase(group: NodeGroup, count: number, now: number, random: RandomStream): void {
    const error: InstanceError | undefined = this.stockout(group)
      ? { code: 'OUT_OF_RESOURCES', message: `no capacity for group ${group.name}` }
      : undefined
    for (let i = 0; i < count; i++) {
      const name = `${group.nodePrefix ?? group.name}-${random.alphanumeric(5)}`
      const instance = { name, group, requestedAt: now, dueAt: now + group.bootMs }
      this.instances.push(error === undefined ? instance : { ...instance, error })
    }
    this.targets.set(group.name, this.targetOf(group) + count)
  }

  /** The instances whose Node objects must be created now. */
  takeDue(now: number): readonly Instance[] {
    const due = this.instances.filter(({ dueAt, error }) => error === undefined && dueAt <= now)
    if (due.length > 0) this.instances = this.instances.filter((instance) => !due.includes(instance))
    return due
  }

  nextDueAt(): number | undefined {
    let next: number | undefined
    for (const { dueAt, error } of this.instances) {
      if (error === undefined && (next === undefined || dueAt < next)) next = dueAt
    }
    return next
  }

  /** Cancels machines without a Node object. */
  cancel(gone: readonly Instance[]): void {
    if (gone.length === 0) return
    this.instances = this.instances.filter((instance) => !gone.includes(instance))
    for (const { group } of gone) this.decrease(group, 1)
  }

  decrease(group: NodeGroup, count: number): void {
    this.targets.set(group.name, Math.max(0, this.targetOf(group) - count))
  }
}

/** The Node object of a new machine. It has the label of its host name if the template has one. */
export function nodeOf({ name, group }: Pick<Instance, 'name' | 'group'>): Node {
  const { template, label } = group
  const hostname = template.metadata.labels?.[labels.hostname] === undefined ? {} : { [labels.hostname]: name }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...template.metadata.labels, ...hostname, [label.key]: label.value },
      annotations: { ...template.metadata.annotations, 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: { ...template.spec, providerID: `kwok:${name}` },
    ...(template.status === undefined ? {} : { status: template.status }),
  } as Node
}
