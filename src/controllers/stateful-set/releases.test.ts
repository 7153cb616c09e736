import { describe, expect, it } from 'vitest'
import type { Pod, PodTemplateSpec } from '../../api/objects/pod.ts'
import type { ControllerRevision, StatefulSet } from '../../api/objects/workloads.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { decideRevision, newRevision } from '../history/revisions.ts'
import { decideStatefulSet, statefulSetRules } from './decide-stateful-set.ts'
import { decideStatus } from './decide-status.ts'

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'c', image: 'v1' }] },
}

function setOf(more: Partial<NonNullable<StatefulSet['spec']>> = {}): StatefulSet {
  return {
    metadata: { name: 'db', namespace: 'default', uid: 'u' },
    spec: {
      replicas: 5,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 2 } },
      template,
      ...more,
    },
  }
}

function pod(ordinal: number, revision: string, ready = true): Pod {
  const status = ready ? 'True' : 'False'
  return {
    metadata: {
      name: `db-${ordinal}`,
      namespace: 'default',
      labels: {
        'controller-revision-hash': revision,
        'statefulset.kubernetes.io/pod-name': `db-${ordinal}`,
        'apps.kubernetes.io/pod-index': String(ordinal),
      },
    },
    spec: { containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  }
}

const now = Date.parse('2026-01-01T01:00:00Z')
const current = { name: 'old', template }
const update = { name: 'new', template }

function decided(version: string, set: StatefulSet, pods: readonly Pod[]) {
  const rules = statefulSetRules(must(releaseOf(version)))
  return decideStatefulSet({ set, pods, claimOf: () => undefined, current, update, batch: 1, now, rules })
}

const deletedIn = (...given: Parameters<typeof decided>) =>
  decided(...given).planned.flatMap(({ call }) => (call.verb === 'delete' ? [call.name] : []))

describe('maxUnavailable of a StatefulSet', () => {
  const outdated = [0, 1, 2, 3, 4].map((ordinal) => pod(ordinal, 'old'))

  it.each([
    ['1.34.11', ['db-4']],
    ['1.35.0', ['db-4', 'db-3']],
    ['1.35.3', ['db-4', 'db-3']],
    ['1.35.4', ['db-4']],
    ['1.35.8', ['db-4']],
    ['1.36.4', ['db-4']],
    ['1.37.1', ['db-4', 'db-3']],
  ])('maxUnavailable of a StatefulSet in %s replaces %j at once', (version, names) => {
    expect(deletedIn(version, setOf(), outdated)).toEqual(names)
  })

  it('maxUnavailable of a StatefulSet counts pods that are unavailable for any reason', () => {
    const parallel = setOf({ podManagementPolicy: 'Parallel' })
    const pods = [...outdated.slice(0, 4), pod(4, 'new', false)]
    expect(deletedIn('1.35.0', parallel, pods)).toEqual(['db-3'])
  })

  it('maxUnavailable of a StatefulSet is at least one, and a percentage is rounded down', () => {
    const percent = (maxUnavailable: string) =>
      setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } })
    expect(deletedIn('1.37', percent('10%'), outdated)).toEqual(['db-4'])
    expect(deletedIn('1.37', percent('79%'), outdated)).toEqual(['db-4', 'db-3', 'db-2'])
  })

  it('maxUnavailable of a StatefulSet from 1.37 on replaces unavailable pods of a parallel set without waiting for the budget', () => {
    const parallel = setOf({ podManagementPolicy: 'Parallel' })
    const pods = [pod(0, 'old', false), pod(1, 'old', false), pod(2, 'old', false), pod(3, 'old'), pod(4, 'old')]
    expect(deletedIn('1.35.0', parallel, pods)).toEqual([])
    expect(deletedIn('1.37', parallel, pods)).toEqual(['db-2', 'db-1', 'db-0'])
  })
})

describe('the strategy Recreate of a StatefulSet', () => {
  const on = must(withFeatureGates(must(releaseOf('1.37')), new Map([['StatefulSetRecreateStrategy', true]])))
  const recreated = setOf({ replicas: 3, updateStrategy: { type: 'Recreate' } })
  const leaving = (one: Pod): Pod => ({
    ...one,
    metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:30:00Z' },
  })
  const ask = (set: StatefulSet, pods: readonly Pod[], release = on, now_ = now) => {
    const rules = statefulSetRules(release)
    const decision = decideStatefulSet({
      set,
      pods,
      claimOf: () => undefined,
      current,
      update,
      batch: 1,
      now: now_,
      rules,
    })
    const { leavingCurrent, progress } = decision
    const names = { current: 'old', update: 'new', collisionCount: 0, leavingCurrent, progress, now: now_, rules }
    return { decision, status: decideStatus({ set, pods, ...names }) }
  }
  const callsOf = (decision: ReturnType<typeof ask>['decision']) =>
    decision.planned.map(({ call }) => `${call.verb} ${'name' in call ? call.name : ''}`.trim())

  it('the strategy Recreate of a StatefulSet deletes all old pods at once, and creates no pod before they are deleted', () => {
    const old = [0, 1, 2, 3].map((ordinal) => pod(ordinal, 'old'))
    const first = ask(recreated, old)
    expect(callsOf(first.decision)).toEqual(['delete db-0', 'delete db-1', 'delete db-2', 'delete db-3'])
    expect(first.status).toMatchObject({
      currentReplicas: 4,
      conditions: [
        { type: 'Progressing', status: 'True', reason: 'RecreateInProgress', message: 'Deleting old revision pods' },
      ],
    })
    expect(callsOf(ask(recreated, [leaving(pod(1, 'old'))]).decision)).toEqual([])
    const gone = ask(recreated, [])
    expect(callsOf(gone.decision)).toEqual(['create'])
    expect(gone.status?.conditions).toMatchObject([{ message: 'Waiting for new-revision pods to be created' }])
  })

  it('the strategy Recreate of a StatefulSet is complete when all pods are ready', () => {
    const progressing = {
      type: 'Progressing',
      status: 'True',
      reason: 'RecreateInProgress',
      message: 'Waiting for new-revision pods to be created',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const
    const set: StatefulSet = { ...recreated, status: { replicas: 3, conditions: [progressing] } }
    const { status } = ask(
      set,
      [0, 1, 2].map((ordinal) => pod(ordinal, 'new')),
    )
    expect(status).toMatchObject({
      currentRevision: 'new',
      conditions: [
        {
          status: 'False',
          reason: 'RecreateCompleted',
          message: 'All pods recreated successfully',
          lastTransitionTime: '2026-01-01T01:00:00Z',
        },
      ],
    })
  })

  it('the strategy Recreate of a StatefulSet is an error if the object has it and its gate is disabled', () => {
    const { decision } = ask(recreated, [pod(0, 'old')], must(releaseOf('1.37')))
    expect(decision).toMatchObject({
      planned: [],
      retry: true,
      isRefused: true,
      notes: [
        {
          reason: 'UnknownStrategy',
          message:
            'statefulset default/db uses Recreate strategy but feature gate StatefulSetRecreateStrategy is disabled',
        },
      ],
    })
  })
})

describe('the revision of a StatefulSet', () => {
  const parent = {
    object: setOf(),
    kind: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
    template,
    collisionCount: 0,
  }
  const made = newRevision(parent, 1)
  // Up to v1.33, kube-controller-manager wrote creationTimestamp: null.
  const old = {
    ...made,
    data: {
      spec: {
        template: { ...template, metadata: { ...template.metadata, creationTimestamp: null }, $patch: 'replace' },
      },
    },
  } as unknown as ControllerRevision

  it('a StatefulSet gets a new revision when v1.33 serialized the old one and revisions are compared byte by byte (1.34.0, 1.34.1)', () => {
    expect(decideRevision(parent, [old])).toMatchObject({ kind: 'write', call: { verb: 'create' } })
  })

  it('a StatefulSet keeps the old revision when revisions are compared by meaning (from 1.34.2 on)', () => {
    expect(decideRevision(parent, [old], (restored) => restored)).toEqual({ kind: 'settled', update: old })
  })

  it('a revision of a StatefulSet without defaults counts as equal to a revision with them', () => {
    const defaulted = { ...template, spec: { ...template.spec, dnsPolicy: 'ClusterFirst' } }
    const addDefaults = (restored: PodTemplateSpec) => ({
      ...restored,
      spec: { dnsPolicy: 'ClusterFirst', ...restored.spec },
    })
    expect(decideRevision({ ...parent, template: defaulted }, [old], addDefaults).kind).toBe('settled')
    const changed = { ...defaulted, spec: { ...defaulted.spec, dnsPolicy: 'None' } }
    expect(decideRevision({ ...parent, template: changed }, [old], addDefaults).kind).toBe('write')
  })
})

it.each([
  ['1.34', 'create Pod db-0 in StatefulSet db successful'],
  ['1.35', 'Create Pod db-0 in StatefulSet db successful'],
])('events of a StatefulSet in %s have the message %j', (version, message) => {
  const [planned] = decided(version, setOf(), []).planned
  expect(planned?.onSuccess).toMatchObject({ reason: 'SuccessfulCreate', message })
})

it.each([
  ['1.36', 'old'],
  ['1.37', 'new'],
])('the current revision of a finished StatefulSet with the strategy OnDelete in %s is %j', (version, revision) => {
  const set = setOf({ replicas: 1, updateStrategy: { type: 'OnDelete' } })
  const rules = statefulSetRules(must(releaseOf(version)))
  const input = { set, pods: [pod(0, 'new')], current: 'old', update: 'new', collisionCount: 0, leavingCurrent: 0, now }
  expect(decideStatus({ ...input, rules })?.currentRevision).toBe(revision)
})
