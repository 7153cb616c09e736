/** A deliberate bug: the text `search`, which the file contains once, is replaced. */
export interface Mutation {
  readonly name: string
  readonly file: string
  readonly search: string
  readonly replace: string
}

const mutation = (name: string, file: string, search: string, replace: string): Mutation => ({
  name,
  file: `src/${file}`,
  search,
  replace,
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
const taints = 'controllers/node-lifecycle/decide-taints.ts'
const health = 'controllers/node-lifecycle/decide-health.ts'
const noExecute = 'controllers/node-lifecycle/no-execute-taints.ts'
const taintEviction = 'controllers/taint-eviction/decide-eviction.ts'
const evictionController = 'controllers/taint-eviction/controller.ts'
const kubelet = 'controllers/hollow-kubelet/controller.ts'
const driver = 'runtime/step-driver.ts'
const runner = 'runtime/runner.ts'

/** Bugs that the swarm must find. */
export const mutations: readonly Mutation[] = [
  mutation('the number of pods of a node is off by one', fit, 'pods + 1 > maxPods', 'pods > maxPods'),
  mutation(
    'used resources are not subtracted',
    fit,
    'request <= total - (requested.requested[row] as number)',
    'request <= total',
  ),
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
    'this.enqueue(pod, verdict, scheduleAttemptFailure, now)',
    'this.verdictInFlight(pod)',
  ),
  mutation('new pods are not queued', queue, 'this.toActive(queued, this.addedLabel, now)\n  }', '}'),
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
    '    table.replace(key, after)\n    return { resource, key, revision, before, after, ...sized }',
    '    return { resource, key, revision, before, after, ...sized }',
  ),
  mutation(
    'a deletion is not stored',
    store,
    '      table.remove(key)\n      return { resource, key, revision, before, last',
    '      return { resource, key, revision, before, last',
  ),
  mutation(
    'resource versions are behind',
    'store/stamp.ts',
    'const resourceVersion = String(revision)',
    'const resourceVersion = String(revision - 1)',
  ),
  mutation(
    'watchers get changes twice',
    'store/watchers.ts',
    '    this.delivering = true\n    this.deliver(changes)\n',
    '    this.delivering = true\n    this.deliver(changes)\n    if (changes.length % 2 === 1) this.deliver(changes)\n',
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
    cidrs,
    'return this.change(cidr, (place) => this.mark(place))',
    'return this.change(cidr, () => false)',
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
    'controllers share their first changes',
    runner,
    'if (this.isShared) this.changes = this.changes.slice()\n',
    '',
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
]
