import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import { buildForecast } from '../../src/whatif/report/build-forecast.ts'
import { ForecastRun } from '../../src/whatif/run/forecast-run.ts'
import type { PlannedStep } from '../../src/whatif/scenario/step.ts'
import { readStep } from '../../src/whatif/scenario/step-reader.ts'
import { clusterFlags } from '../../src/whatif/snapshot/assumed-flags.ts'
import { type ClusterInput, findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { pendingMessages } from '../../src/whatif/upgrade/pending-messages.ts'
import { reportUpgrade } from '../../src/whatif/upgrade/upgrade-report.ts'

// A cluster of v1.33: its revisions have creationTimestamp: null, and one StatefulSet has maxUnavailable: 2.
const dump = JSON.parse(readFileSync('examples/upgrade-control-plane/dump.json', 'utf8')) as { items: KubeObject[] }
const found = findCluster({ objects: dump.items })

function forecastUnder(version: string, steps: readonly PlannedStep[], cluster = found.cluster) {
  const settings = must(readSettings({ 'kubernetes-version': version }))
  const plan = { title: version, settings, hollow: { stages: packs.forecast }, found: cluster, create: [], steps }
  const run = ForecastRun.start({ ...plan, untilMs: 3_600_000, expect: [] }, { seed: '1' }).finish()
  const forecast = buildForecast(run)
  return { release: settings.release, forecast, messages: pendingMessages(run.cluster.store, forecast) }
}

function upgrade(from: string, to: string, steps: readonly PlannedStep[] = [], input: ClusterInput = found) {
  return reportUpgrade({
    found: input,
    before: forecastUnder(from, steps, input.cluster),
    after: forecastUnder(to, steps, input.cluster),
    notes: [],
  })
}

const newImage = {
  at: '1m',
  patch: {
    target: 'statefulset/shop/cache',
    patch: { spec: { template: { spec: { containers: [{ name: 'c', image: 'cache:2' }] } } } },
  },
}

describe('the forecast of an upgrade', () => {
  it('assumes the newest version of a kubelet for a dump', () => {
    expect(found.kubernetes).toEqual({ version: '1.34.11', said: 'v1.33.5' })
    expect(found.notes.map(({ text }) => text)).toContain(
      'the cluster runs Kubernetes v1.33.5, which berth does not support: v1.34.11 is used',
    )
  })

  it('the forecast of an upgrade of revisions that v1.33 wrote reports that 1.34.1 restarts the pods of StatefulSets, and 1.34.2 does not', () => {
    const broken = upgrade('1.34.11', '1.34.1')
    const restarts = broken.findings.filter(({ kind }) => kind === 'restart').flatMap(({ objects }) => objects)
    expect(restarts).toHaveLength(8)
    expect(restarts).toContain('pods/shop/db-0')
    expect(upgrade('1.34.11', '1.34.2').isSame).toBe(true)
  })

  it.each([
    ['1.34.11', '1.35.0', 'on'],
    ['1.35.0', '1.35.8', 'off'],
    ['1.36.4', '1.37.1', 'on'],
  ])(
    'the forecast of an upgrade from %s to %s reports that a rollout with maxUnavailable behaves differently',
    async (from, to, state) => {
      const step = await readStep(newImage, 'steps[0]', () => Promise.resolve([]))
      const { findings, isSame } = upgrade(from, to, [step])
      expect(isSame).toBe(false)
      expect(findings).toContainEqual({
        kind: 'gate',
        what: expect.stringContaining(`MaxUnavailableStatefulSet is ${state} in v${to}`),
        objects: ['statefulsets/shop/cache'],
      })
      const [slow, fast] = ['it has all its pods after 3m30s', 'it has all its pods after 2m30s']
      const rollout = findings.find(({ kind }) => kind === 'rollout')
      expect(rollout?.objects).toEqual(['statefulsets/shop/cache'])
      expect(rollout?.what).toContain(
        state === 'on' ? 'at least 3 of 5 pods are ready instead of 4 of 5' : 'at least 4',
      )
      expect(rollout?.what).toContain(state === 'on' ? `${fast} instead of 3m30s` : `${slow} instead of 2m30s`)
      const pods = findings.filter(({ kind }) => kind === 'pods')
      expect(pods.flatMap(({ details = [] }) => details)).toContainEqual(
        expect.stringMatching(/^shop\/cache-3: deleted at .* instead of /),
      )
      expect(findings.some(({ kind }) => kind === 'restart')).toBe(false)
    },
  )

  it('the forecast of an upgrade from 1.35.8 to 1.36.4 reports no difference in the rollout of a StatefulSet', async () => {
    const step = await readStep(newImage, 'steps[0]', () => Promise.resolve([]))
    expect(upgrade('1.35.8', '1.36.4', [step]).findings).toEqual([])
  })

  it('the forecast of an upgrade of a pod that is pending in both releases reports only that its message changes', () => {
    const { items } = JSON.parse(readFileSync('docs/how-to/cluster.json', 'utf8')) as { items: KubeObject[] }
    const { findings } = upgrade('1.36.4', '1.37.1', [], findCluster({ objects: items }))
    const [start, end] = [
      "0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector. ",
      'preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.',
    ]
    expect(findings).toEqual([
      {
        kind: 'message',
        what: 'pending pods have another message in FailedScheduling and in the condition PodScheduled',
        before: `${start}no new claims to deallocate, ${end}`,
        after: `${start}${end}`,
        objects: ['pods/default/report'],
      },
    ])
  })

  it('the forecast of an upgrade counts the gates that the control plane sets, and says which of them stop its components', () => {
    const gates = '--feature-gates=MaxUnavailableStatefulSet=true,JobSuccessPolicy=true'
    const manager = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kube-controller-manager-node-a', namespace: 'kube-system', uid: 'kcm' },
      spec: {
        nodeName: 'node-a',
        containers: [{ name: 'c', image: 'c:1', command: ['kube-controller-manager', gates] }],
      },
    }
    const input = findCluster({ objects: [...dump.items, manager as KubeObject] })
    const under = (version: string) => {
      const settings = must(readSettings(clusterFlags(input.kubernetes, { 'kubernetes-version': version })))
      return { ...forecastUnder(version, [], input.cluster), release: settings.release }
    }
    const { findings } = reportUpgrade({ found: input, before: under('1.36.4'), after: under('1.37.1'), notes: [] })
    expect(findings).toEqual([
      {
        kind: 'removed',
        what: 'kube-controller-manager v1.37.1 does not start: unrecognized feature gate: JobSuccessPolicy',
        objects: ['pods/kube-system/kube-controller-manager-node-a'],
      },
    ])
  })

  it('the forecast of an upgrade lists objects with fields that the new release does not have', () => {
    const report = upgrade('1.37.1', '1.36.4')
    expect(report.findings.filter(({ kind }) => kind === 'removed')).toEqual([])
    const [first] = dump.items.filter(({ kind }) => kind === 'Pod') as [KubeObject & { spec: { containers: object[] } }]
    const mounts = [{ name: 'x', mountPath: '/x', bindMountOptions: ['noexec'] }]
    const pod = {
      ...first,
      spec: { ...first.spec, containers: [{ ...first.spec.containers[0], volumeMounts: mounts }] },
    }
    const changed = findCluster({ objects: [...dump.items.filter((item) => item !== first), pod] })
    const after = forecastUnder('1.36.4', [])
    const before = { ...after, release: must(releaseOf('1.37.1')) }
    const removed = reportUpgrade({ found: changed, before, after, notes: [] })
    expect(removed.findings).toContainEqual({
      kind: 'removed',
      what: 'Pod has no field spec.containers[].volumeMounts[].bindMountOptions in v1.36.4',
      objects: [`pods/shop/${first.metadata.name}`],
    })
  })
})
