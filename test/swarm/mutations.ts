/** In a file, the text `search`, which it contains once, is replaced. */
export interface Edit {
  readonly file: string
  readonly search: string
  readonly replace: string
}

/** A deliberate bug. It has several edits if the code checks the same thing twice. */
export interface Mutation {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The part of the swarm that must find it. */
  readonly part: string
}

const mutation = (name: string, file: string, search: string, replace: string, part = 'stories'): Mutation => ({
  name,
  edits: [{ file: `src/${file}`, search, replace }],
  part,
})

const fit = 'scheduler/plugins/node-resources-fit/fit-check.ts'
const cache = 'scheduler/cache/scheduler-cache.ts'
const queue = 'scheduler/queue/scheduling-queue.ts'
const store = 'store/memory-store.ts'
const model = 'runtime/read-model.ts'
const eviction = 'registry/subresources/eviction.ts'
const replicaSet = 'controllers/replica-set/controller.ts'
const rolling = 'controllers/deployment/decide-rolling.ts'
const stateful = 'controllers/stateful-set/decide-stateful-set.ts'
const cidrs = 'controllers/node-ipam/cidr-set.ts'
const blocks = 'controllers/node-ipam/block-pool.ts'
const taints = 'controllers/node-lifecycle/decide-taints.ts'
const health = 'controllers/node-lifecycle/decide-health.ts'
const noExecute = 'controllers/node-lifecycle/no-execute-taints.ts'
const taintEviction = 'controllers/taint-eviction/decide-eviction.ts'
const evictionController = 'controllers/taint-eviction/controller.ts'
const kubelet = 'controllers/hollow-kubelet/controller.ts'
const driver = 'runtime/step-driver.ts'
const runner = 'runtime/runner.ts'

const journal = 'store/journal/group-journal.ts'

const storeMutations: readonly Mutation[] = [
  mutation(
    'watchers get only the first change of a group',
    'store/watchers.ts',
    'subscription.watcher(seen < first ? group :',
    'subscription.watcher(seen < first ? group.slice(0, 1) :',
    'disk',
  ),
  mutation(
    'writes are acknowledged before they are on disk',
    journal,
    'if (revision <= this.tables.revision) return',
    'if (revision >= 0) return',
    'disk',
  ),
  mutation('failed writes stay visible', journal, 'this.tell((owner) => owner.lost(lost))', '', 'disk'),
  mutation(
    'writes are accepted while the disk fails',
    journal,
    "if (this.outage !== undefined) return { kind: 'read-only', message: this.outage.message }",
    '',
    'disk',
  ),
  mutation(
    'writes that are found on disk are not shown',
    journal,
    'if (isFound) this.tell((owner) => owner.found(group.changes))',
    '',
    'disk',
  ),
  mutation(
    'checksums of records are not compared',
    'store/journal/record.ts',
    'if (end > bytes.length || crc32(bytes.subarray(nameFrom, end)) !== bytes.readUInt32LE(from + 6)) return undefined',
    'if (end > bytes.length) return undefined',
    'disk',
  ),
  {
    name: 'pages of an earlier time are accepted',
    edits: [
      { file: 'src/store/journal/check.ts', search: '    this.checkAge()\n', replace: '' },
      {
        file: 'src/store/journal/file.ts',
        search: 'if (state.transaction !== undefined && state.transaction !== last) {',
        replace: 'if (last < 0) {',
      },
    ],
    part: 'disk',
  },
  mutation(
    'deletions are not read from the log',
    'store/journal/file.ts',
    'if (isDeletion(record)) live.delete(record.name)\n      else live.set',
    'if (!isDeletion(record)) live.set',
    'disk',
  ),
  mutation(
    'a folded log loses its records',
    'store/journal/tables.ts',
    'else pass(this.objects.put(name, record.bytes))',
    '',
    'disk',
  ),
  mutation(
    'read errors count as undamaged',
    'store/journal/check.ts',
    "if (error instanceof RangeError) return 'one of its pages is truncated'\n    throw error",
    "if (error instanceof RangeError) return 'one of its pages is truncated'\n    return undefined",
    'disk',
  ),
]

const reflector = 'runtime/reflector.ts'
const election = 'runtime/leader-election.ts'
const ownership = 'registry/apply/managed-fields.ts'

const clientMutations: readonly Mutation[] = [
  mutation('a watch that ends is not started again', reflector, '} else again()', '}', 'connection'),
  mutation(
    'a lost watch continues from the present',
    reflector,
    'else this.beginWatch({ resourceVersion: this.lastVersion }, (events) => events)',
    'else this.beginWatch({}, (events) => events)',
    'connection',
  ),
  mutation(
    'deletions are missed by a new list',
    reflector,
    'if (after === undefined || after.metadata.uid !== before.metadata.uid) changes.push(this.change(key, before))',
    '',
    'connection',
  ),
  mutation(
    'a leader does not look at its deadline',
    election,
    "this.state === 'leading' && this.options.clock.now() < this.deadlineAt",
    "this.state === 'leading'",
    'leaders',
  ),
  mutation(
    'the deadline of a leader is of the clock that can be set',
    election,
    'this.options.clock.now() < this.deadlineAt',
    'this.options.clock.wall() < this.deadlineAt',
    'leaders',
  ),
  mutation(
    'a lease is taken before it has expired',
    election,
    'this.observedAt + validForMs > this.options.clock.now()) return false',
    'this.observedAt > this.options.clock.now()) return false',
    'leaders',
  ),
  mutation(
    'writes do not check the lease',
    'client/fenced-client.ts',
    'return mayWrite() ? client.call(call, mayWrite)',
    'return true ? client.call(call)',
    'leaders',
  ),
  mutation('apply ignores conflicts', ownership, 'if (conflicts.length > 0 && !force) {', 'if (false) {', 'apply'),
  mutation(
    'other managers keep what an apply takes from them',
    ownership,
    'for (const owner of others) {\n    const entry = rewritten(owner, owner.fields.difference(changed).difference(removed))',
    'for (const owner of others) {\n    const entry = rewritten(owner, owner.fields.difference(removed))',
    'apply',
  ),
  mutation(
    'fields that a manager no longer applies stay',
    ownership,
    'const pruned = prune(merged, last, claimed, others, how)',
    'const pruned = prune(merged, undefined, claimed, others, how)',
    'apply',
  ),
]

const autoscalerMutations: readonly Mutation[] = [
  mutation(
    'Cluster Autoscaler does not scale up',
    'autoscalers/cluster-autoscaler/decide-scale-up.ts',
    'else if (cloud.targetOf(group) >= group.max)',
    'else if (cloud.targetOf(group) >= 0)',
  ),
  mutation(
    'Karpenter ignores the limits of a pool',
    'autoscalers/karpenter/scheduling/pod-scheduler.ts',
    'const within = types.filter(({ capacity }) => isWithin(capacity, rest))',
    'const within = types.filter(({ capacity }) => isWithin(capacity, new Map()))',
  ),
  mutation(
    'the horizontal autoscaler exceeds its maximum',
    'autoscalers/horizontal-pod-autoscaler/decide-scale.ts',
    'let desired = limit(input, { current, desired: proposed, min, max }, conditions)',
    'let desired = limit(input, { current, desired: proposed, min, max: max + 2 }, conditions)',
  ),
  mutation(
    'a gang starts with one pod less',
    'scheduler/contract/groups.ts',
    '(group.object.spec.schedulingPolicy?.gang?.minCount ?? 1)',
    '(group.object.spec.schedulingPolicy?.gang?.minCount ?? 1) - 1',
  ),
  mutation(
    'a gang is bound before all of it is placed',
    'scheduler/plugins/gang-scheduling/gang-scheduling.ts',
    '?.scheduled ?? 0) < gang.minCount ? waits : ok',
    '?.scheduled ?? 0) < 0 ? waits : ok',
  ),
  mutation(
    'blocks of services are given to nodes',
    'controllers/node-ipam/range-ledger.ts',
    'if (cidrsOverlap(range, pool.set.range)) pool.occupy(range)',
    'if (!cidrsOverlap(range, pool.set.range)) pool.occupy(range)',
  ),
  mutation(
    'blocks of removed nodes are not released',
    blocks,
    'if (others === undefined) return this.set.unmark(place)',
    'if (others === undefined) return false',
  ),
]

/** Bugs that the swarm must find. */
export const mutations: readonly Mutation[] = [
  mutation('the number of pods of a node is off by one', fit, 'pods + 1 > maxPods', 'pods > maxPods'),
  mutation('used resources are not subtracted', fit, 'request <= total - used ||', 'request <= total ||'),
  mutation('extended resources are ignored', fit, '...[...requests.scalars].filter(([name]) => !isIgnored(name)),', ''),
  mutation('memory is ignored', fit, "['memory', requests.memoryBytes],", ''),
  mutation(
    'host ports are not compared',
    'scheduler/plugins/node-ports/node-ports.ts',
    'table.rows[row]?.portsFree(shape.hostPorts) === true',
    'true || status < 0',
  ),
  mutation(
    'NoSchedule taints are ignored',
    'scheduler/plugins/taint-toleration/taint-toleration.ts',
    "['NoSchedule', 'NoExecute']\nconst untolerated",
    "['NoExecute']\nconst untolerated",
  ),
  mutation(
    'only cordoned nodes are accepted',
    'scheduler/plugins/node-unschedulable/node-unschedulable.ts',
    'node.spec?.unschedulable !== true',
    'node.spec?.unschedulable === true',
  ),
  mutation(
    'node selectors are ignored',
    'scheduler/plugins/node-affinity/node-affinity.ts',
    'required.matches(node.metadata.labels, name) ? ok : notThePods',
    'ok',
  ),
  mutation(
    'deleted pods stay in the cache',
    cache,
    'if (known !== undefined) this.uncount(known)',
    'if (known === undefined) return',
  ),
  mutation(
    'assumed pods are not counted',
    cache,
    'this.count(pod, node, true)\n    this.groups?.assume(pod.pod)',
    'this.groups?.assume(pod.pod)',
  ),
  mutation(
    'rejected pods are not queued again',
    queue,
    'else this.enqueue(pod, this.verdictInFlight(pod), scheduleAttemptFailure, now)',
    'else this.verdictInFlight(pod)',
  ),
  mutation('new pods are not queued', queue, 'this.toActive(queued, this.addedLabel, now)\n  }', 'void now\n  }'),
  mutation(
    'devices in use are allocated again',
    'scheduler/devices/allocation-search.ts',
    'return isTaken || (this.choosing.get(id)?.size ?? 0) > 0',
    'return (this.choosing.get(id)?.size ?? 0) > 0 && isTaken',
  ),
  mutation(
    'bound pods are scheduled again',
    'scheduler/events/cluster-feed.ts',
    'if (isAssigned(pod)) this.assignedAdded(pod)\n    else if',
    'if',
  ),
  mutation(
    'revisions skip numbers',
    store,
    'const revision = this.currentRevision + 1',
    'const revision = this.currentRevision + 2',
  ),
  mutation(
    'an update is not stored',
    store,
    '    table.replace(key, after)\n    if (difference === undefined) return { resource, key, revision, before, after }',
    '    if (difference === undefined) return { resource, key, revision, before, after }',
  ),
  mutation(
    'a deletion is not stored',
    store,
    '      table.remove(key)\n      if (difference === undefined) return { resource, key, revision, before, last',
    '      if (difference === undefined) return { resource, key, revision, before, last',
  ),
  mutation(
    'resource versions are behind',
    'store/stamp.ts',
    'const resourceVersion = String(revision)',
    'const resourceVersion = String(revision - 1)',
  ),
  mutation(
    'a stale group of the read model',
    model,
    '  /** A cell of the group holds a new version. */\n  changed(): void {\n    this.array = undefined',
    '  /** A cell of the group holds a new version. */\n  changed(): void {',
  ),
  mutation('evictions ignore an empty budget', eviction, 'return allowed === 0 ?', 'return allowed < 0 ?'),
  mutation(
    'evictions are not counted',
    eviction,
    '(budget.status?.disruptionsAllowed ?? 0) - 1',
    '(budget.status?.disruptionsAllowed ?? 0) - 0',
  ),
  mutation(
    'budgets desire one pod less',
    'controllers/disruption/decide-budget.ts',
    'Math.max(0, expectedScale - missing)',
    'Math.max(0, expectedScale - missing - 1)',
  ),
  mutation(
    'a ReplicaSet creates one pod too many',
    replicaSet,
    'const missing = (spec?.replicas ?? 1) - counts.active',
    'const missing = (spec?.replicas ?? 1) + 1 - counts.active',
  ),
  mutation(
    'a ReplicaSet deletes no pods',
    replicaSet,
    'if (missing === 0) return undefined',
    'if (missing <= 0) return undefined',
  ),
  mutation('a new ReplicaSet does not grow', rolling, 'return size === present ? []', 'return size >= present ? []'),
  mutation('old ReplicaSets do not shrink', rolling, 'if (most <= 0) return []', 'if (most <= 100) return []'),
  mutation('a StatefulSet has one pod less', stateful, 'i < replicasOf(set); i++', 'i < replicasOf(set) - 1; i++'),
  mutation(
    'a StatefulSet does not scale down',
    stateful,
    "    this.delete(pod)\n    return this.isOrdered ? 'stop' : 'go on'",
    "    return this.isOrdered ? 'stop' : 'go on'",
  ),
  mutation('blocks are not marked as used', cidrs, '    this.bits.set(place)\n', ''),
  mutation(
    'known blocks are not occupied',
    blocks,
    '        if (this.set.mark(place)) return true\n',
    '        if (this.set.has(place)) return true\n',
  ),
  mutation(
    'every node gets the first block',
    cidrs,
    'this.next = (place + 1) % this.max\n    this.mark(place)',
    'this.next = 0',
  ),
  mutation('node taints are not removed', taints, 'add: added, remove: removed', 'add: added, remove: []'),
  mutation(
    'silent nodes stay Ready',
    health,
    'const expiresAt = health.probeAt + graceMs',
    'const expiresAt = health.probeAt + graceMs * 100',
  ),
  mutation(
    'recovered nodes keep the NoExecute taint',
    noExecute,
    'if (hasOwnTaint(node)) this.write',
    'if (false) this.write',
  ),
  mutation(
    'untolerated taints do not evict',
    taintEviction,
    "return { kind: 'evict', cause: { taint } }",
    'return taint === undefined ? leave : cancel',
  ),
  mutation(
    'countdowns take a hundred times longer',
    taintEviction,
    'Math.max(Number(tolerationSeconds), 0) * 1000',
    'Math.max(Number(tolerationSeconds), 0) * 100_000',
  ),
  mutation(
    'due countdowns are dropped',
    evictionController,
    'for (const eviction of this.queue.due(now)) this.timerFired(eviction)',
    'this.queue.due(now)',
  ),
  mutation(
    'a daemon set starts no pod on a new node',
    'controllers/daemon-set/decide-daemons.ts',
    'if (starts) start.push(name)\n    } else if',
    '} else if',
  ),
  mutation(
    'revived kubelets do nothing',
    kubelet,
    "      this.revived.add(node)\n      if (was === 'dead')",
    "      if (was === 'dead')",
  ),
  mutation(
    'a change is not delivered to controllers',
    driver,
    'for (const change of seen) this.runners.deliver(change)',
    'for (const change of seen.slice(1)) this.runners.deliver(change)',
  ),
  mutation(
    'a paused controller loses changes',
    runner,
    'if (this.changes === nothing) {\n      this.changes = [change]',
    'if (this.isHeld) return\n    if (this.changes === nothing) {\n      this.changes = [change]',
  ),
  mutation(
    'results of requests are lost',
    driver,
    '    runner.giveResult({ id: action.id, outcome })\n    this.flush()',
    '    this.flush()',
  ),
  mutation(
    'pods of deleted nodes are not collected',
    'controllers/pod-gc/controller.ts',
    "const isMissing = view.get('nodes', change.key) === undefined && view.podsOn(change.key).length > 0",
    'const isMissing = view.podsOn(change.key).length < 0',
  ),
  ...storeMutations,
  ...clientMutations,
  ...autoscalerMutations,
]
