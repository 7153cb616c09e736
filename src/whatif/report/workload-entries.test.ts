import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { forecast } from '../run/forecast.ts'
import { budget, deployment, dumpOf, node } from '../run/story.fixture.ts'
import { recoveryOf } from './workload-entries.ts'

const daemonSet = (name: string) => {
  const { spec, ...rest } = deployment(name, 1) as { spec: { replicas: number } }
  const { replicas: _, ...others } = spec
  return { ...rest, kind: 'DaemonSet', spec: others }
}

const statefulSet = (name: string, replicas: number) => {
  const { spec, ...rest } = deployment(name, replicas) as { spec: object }
  return { ...rest, kind: 'StatefulSet', spec: { ...spec, serviceName: name } }
}

async function workloads(cluster: object[], steps: object[], until = '30m') {
  return must(await forecast({ cluster: cluster as never, steps, until })).workloads
}

const pinned = (name: string, replicas: number) => deployment(name, replicas, { on: 'a' })

describe('the workloads of a forecast', () => {
  it('omits workloads without effects from a forecast', async () => {
    const quiet = await workloads([node('a'), node('b'), deployment('web', 3)], [{ at: '1m', cordon: { node: 'a' } }])
    expect(quiet).toEqual([])
  })

  it('reports the minimum number of ready pods, the time below the budget, and pending pods by reason for each workload', async () => {
    const [web, ...others] = await workloads(
      [node('a'), node('b'), pinned('web', 2), budget('web', 2), deployment('idle', 1, { on: 'b' })],
      [{ at: '1m', taint: { node: 'a', taint: 'gone:NoExecute' } }],
    )
    expect(others).toEqual([])
    expect(web).toMatchObject({
      kind: 'Deployment',
      namespace: 'default',
      name: 'web',
      replicas: 2,
      ready: { before: 0, after: 0 },
      lowestReady: { count: 0 },
      timeDown: expect.closeTo(29 * 60, -1),
      timeUnavailable: expect.closeTo(29 * 60, -1),
      timeBelowBudget: expect.closeTo(29 * 60, -1),
      budget: 'default/web',
      deleted: 2,
      restarts: 2,
      moved: 0,
      lost: 0,
      terminating: [],
      pending: [{ reason: "didn't match Pod's node affinity/selector, untolerated taint(s)", count: 2 }],
    })
    expect(web?.lowestReady.at).toBeGreaterThanOrEqual(60)
    expect(web?.lowestReady.at).toBeLessThan(65)
  })

  it('the workloads of a forecast count pods of all ReplicaSets of a Deployment', async () => {
    const next = structuredClone(deployment('web', 3)) as { spec: { template: { metadata: { labels: object } } } }
    next.spec.template.metadata.labels = { app: 'web', version: '2' }
    const [web, ...others] = await workloads(
      [node('a'), node('b'), deployment('web', 3)],
      [{ at: '1m', apply: [next] }],
    )
    expect(others).toEqual([])
    // The default strategy never deletes a ready pod before its replacement is ready.
    expect(web).toMatchObject({ name: 'web', replicas: 3, ready: { after: 3 }, timeUnavailable: 0, created: 3 })
    expect(web?.lowestReady.count).toBe(3)
  })

  it('the workloads of a forecast do not report a scale-down as unavailable', async () => {
    const [web] = await workloads(
      [node('a'), deployment('web', 5)],
      [{ at: '1m', scale: { target: 'deployment/web', replicas: 2 } }],
    )
    expect(web).toMatchObject({ replicas: 2, deleted: 3, lost: 0, timeUnavailable: 0, lowestReady: { count: 2 } })
  })

  it('the workloads of a forecast report a scale-up with its additional pods', async () => {
    const [web] = await workloads(
      [node('a'), deployment('web', 2)],
      [{ at: '1m', scale: { target: 'deployment/web', replicas: 5 } }],
    )
    expect(web).toMatchObject({ replicas: 5, created: 3, deleted: 0, timeUnavailable: 0, lowestReady: { count: 2 } })
  })

  it('the workloads of a forecast do not count DaemonSet pods of a removed node as missing', async () => {
    const entries = await workloads(
      [node('a'), node('b'), daemonSet('agent'), deployment('web', 2, { on: 'b' })],
      [{ at: '1m', delete: { target: 'node/a' } }],
    )
    expect(entries).toMatchObject([{ kind: 'DaemonSet', name: 'agent', replicas: 1, lost: 0, timeUnavailable: 0 }])
  })

  it('the workloads of a forecast name the StatefulSet pod that stays Terminating on a silent node, before other workloads', async () => {
    const entries = await workloads(
      [node('a'), node('b'), statefulSet('db', 2), deployment('web', 4)],
      [{ at: '1m', silence: { node: 'a' } }],
      '1h',
    )
    expect(entries[0]).toMatchObject({ kind: 'StatefulSet', name: 'db', deleted: 1, moved: 0, ready: { after: 1 } })
    expect(entries[0]?.terminating).toEqual([{ pod: expect.stringMatching(/^default\/db-[01]$/), node: 'a' }])
    expect(entries.find(({ name }) => name === 'web')).toMatchObject({ kind: 'Deployment', ready: { after: 4 } })
  })

  it('reports only effects of the steps for each workload', async () => {
    const anyway = { ...(node('c') as object), spec: { taints: [{ key: 'gone', effect: 'NoExecute' }] } }
    const tolerations = [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]
    const looping = deployment('looping', 1, { on: 'c', tolerations })
    const entries = await workloads(
      [node('a'), node('b'), anyway, looping, deployment('web', 2, { on: 'a' })],
      [{ at: '1m', taint: { node: 'a', taint: 'gone:NoExecute' } }],
    )
    expect(entries.map(({ name }) => name)).toEqual(['web'])
  })

  it('the sums over the workloads of a forecast equal the counts of the forecast', async () => {
    const { caused, workloads: entries } = must(
      await forecast({
        cluster: [node('a'), node('b', { cpu: '1' }), deployment('web', 9), deployment('db', 3, { on: 'a' })] as never,
        steps: [{ at: '1m', taint: { node: 'a', taint: 'gone:NoExecute' } }],
        until: '30m',
      }),
    )
    const sum = (of: (entry: (typeof entries)[number]) => number) => entries.reduce((total, one) => total + of(one), 0)
    expect(caused.podsDeleted).toBeGreaterThan(3)
    expect({
      podsDeleted: sum(({ deleted }) => deleted),
      podsMoved: sum(({ moved }) => moved),
      podsPending: sum(({ pending }) => pending.reduce((total, { count }) => total + count, 0)),
    }).toEqual({ podsDeleted: caused.podsDeleted, podsMoved: caused.podsMoved, podsPending: caused.podsPending })
  })

  it.each([
    ['its completion, without a baseline', { completeMs: 9_000, ready: 3 }, undefined, 4_000, 9_000],
    [
      'its completion, if it is also complete without the steps',
      { completeMs: 9_000, ready: 3 },
      { completeMs: 0, ready: 3 },
      4_000,
      9_000,
    ],
    [
      'its new pods, if it also lacks other pods without the steps for the same time',
      { completeMs: 293_000, ready: 3 },
      { completeMs: 293_000, ready: 3 },
      4_000,
      4_000,
    ],
    [
      'the start, if it does not recover without the steps either',
      { completeMs: undefined, ready: 2 },
      { completeMs: undefined, ready: 2 },
      4_000,
      0,
    ],
    [
      'nothing, if it has fewer pods than without the steps',
      { completeMs: undefined, ready: 1 },
      { completeMs: undefined, ready: 2 },
      4_000,
      undefined,
    ],
    [
      'nothing, if it recovers only without the steps',
      { completeMs: undefined, ready: 1 },
      { completeMs: 5_000, ready: 2 },
      4_000,
      undefined,
    ],
  ])('a workload recovers with %s', (_, history, anyway, readyMs, expected) => {
    expect(recoveryOf(history, anyway, readyMs)).toBe(expected)
  })

  it('a workload that lacks a pod in the snapshot recovers from a drain when the drained pod is replaced', async () => {
    const owned = (kind: string, name: string) => [
      { apiVersion: 'apps/v1', kind, name, uid: name, controller: true, blockOwnerDeletion: true },
    ]
    const { metadata, spec, ...rest } = deployment('web', 2) as {
      metadata: object
      spec: { template: { metadata: { labels: object }; spec: object } }
    }
    const { labels } = spec.template.metadata
    const set = {
      ...rest,
      kind: 'ReplicaSet',
      metadata: { ...metadata, name: 'web-1', uid: 'web-1', labels, ownerReferences: owned('Deployment', 'web') },
      spec,
    }
    const pod = (name: string, nodeName: string, status: 'True' | 'False') => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', uid: name, labels, ownerReferences: owned('ReplicaSet', 'web-1') },
      spec: {
        ...spec.template.spec,
        nodeName,
        tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status }] },
    })
    const lost = {
      ...(node('c') as object),
      spec: { unschedulable: true, taints: [{ key: 'gone', effect: 'NoExecute' }] },
    }
    const [web] = await workloads(
      [
        ...[node('a'), node('b'), lost],
        ...[{ ...rest, metadata: { ...metadata, uid: 'web' }, spec }, set],
        ...[pod('web-1-a', 'a', 'True'), pod('web-1-c', 'c', 'False')],
      ],
      [{ at: '10s', drain: { node: 'a' } }],
    )
    expect(web).toMatchObject({ name: 'web', ready: { before: 1, after: 2 }, deleted: 1 })
    expect(web?.recovered).toBeLessThan(60)
  })

  it('a workload that also lacks a pod without the steps is not short of pods when it loses a pod that it gained', async () => {
    const small = (name: string) => node(name, { cpu: '1' })
    const { items } = (await dumpOf([small('a'), small('b'), deployment('web', 3, { cpu: '800m' })])) as {
      items: KubeObject[]
    }
    const { verdict, workloads: entries } = must(
      await forecast({
        cluster: items,
        steps: [{ at: '0s', upgrade: { nodes: ['a', 'b'], maxSurge: 1, maxUnavailable: 0 } }],
        until: '1h',
      }),
    )
    expect(entries).toMatchObject([{ name: 'web', ready: { before: 2, after: 2 }, timeUnavailable: 0, pending: [] }])
    expect(verdict).toBe('SAFE')
  })
})
