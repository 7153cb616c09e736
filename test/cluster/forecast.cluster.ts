import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { parseTime } from '../../src/api/time.ts'
import { hollowAnnotations, hollowLabel } from '../../src/controllers/hollow-kubelet/hollow-names.ts'
import type { RunDriver } from '../../src/runtime/run-driver.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { type Connection, connect } from './connection.ts'
import { startHollowKubelets } from './hollow-kubelets.ts'
import { buildParts, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

// Takes a snapshot of a cluster that kube-controller-manager and kube-scheduler run, forecasts a change, applies
// the change, and compares.

const run = promisify(execFile)
const reason = missing()
if (reason !== undefined) process.stderr.write(`skipped: ${reason}\n`)

/** Both the forecast and the real controllers detect silent nodes within seconds instead of minutes. */
const flags = {
  'node-monitor-period': '1s',
  'node-monitor-grace-period': '8s',
  'node-startup-grace-period': '10s',
  'node-eviction-rate': '10',
}

const tolerated = (key: string, seconds?: number) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
})
const lossTolerated = ['not-ready', 'unreachable'].map((what) => tolerated(`node.kubernetes.io/${what}`, 3))

const podSpec = (cpu: string, more: object = {}) => ({
  terminationGracePeriodSeconds: 1,
  tolerations: lossTolerated,
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory: '64Mi' } } }],
  ...more,
})

const workload = (kind: string, name: string, spec: object, pod: object): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: name } },
      ...spec,
      template: { metadata: { labels: { app: name } }, spec: pod },
    },
  }) as KubeObject

const size = { cpu: '4', memory: '8Gi', pods: '110' }
const zoneOf = (i: number) => (i < 3 ? 'zone-a' : 'zone-b')
const hollowNode = (i: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `n${i}`,
    labels: { [hollowLabel]: 'true', 'kubernetes.io/hostname': `n${i}`, 'topology.kubernetes.io/zone': zoneOf(i) },
  },
  status: { capacity: size, allocatable: size },
})

describe.skipIf(reason !== undefined)(
  `forecasts come true under kube-controller-manager and kube-scheduler v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    let kubelets: RunDriver
    let config: string

    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster()
      hands = await connect(cluster)
      config = join(cluster.folder, 'flags.yaml')
      writeFileSync(config, JSON.stringify(flags))
      const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
      await cluster.start('kube-controller-manager', args)
      await cluster.start('kube-scheduler')
      kubelets = startHollowKubelets(hands.client)
      await hands.createNodes(0, 6, hollowNode)
      const objects: readonly (readonly [string, KubeObject])[] = [
        ['deployments.apps', workload('Deployment', 'web', { replicas: 9 }, podSpec('200m'))],
        [
          'deployments.apps',
          workload(
            'Deployment',
            'patient',
            { replicas: 6 },
            podSpec('100m', { tolerations: [...lossTolerated, tolerated('maintenance', 6)] }),
          ),
        ],
        ['statefulsets.apps', workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db' }, podSpec('300m'))],
        ['daemonsets.apps', workload('DaemonSet', 'agent', {}, podSpec('50m'))],
      ]
      for (const [resource, object] of objects) await hands.create(resource, object)
      await settled()
    })
    afterAll(async () => {
      await kubelets?.stop()
      hands?.close()
      await cluster?.close()
    })

    const settled = (count = 24) =>
      eventually(
        'every pod runs',
        () => hands.list<Pod>('pods'),
        (pods) =>
          pods.length === count &&
          pods.every(
            ({ metadata, status }) =>
              metadata.deletionTimestamp === undefined &&
              status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
          ),
        90,
      )

    // The kubelets run in this process, so nothing here may block.
    const kubectl = (...args: readonly string[]) => run('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args])
    const berth = async (...args: readonly string[]) => {
      const { stdout } = await run(process.execPath, [resolve('bin/berth'), ...args], { maxBuffer: 1 << 28 })
      return stdout
    }

    const forecast = async (...question: readonly string[]): Promise<Forecast> => {
      const file = join(cluster.folder, 'snapshot.jsonl.gz')
      await berth('snapshot', file, '--kubeconfig', cluster.kubeconfig, '--kube-api-qps', '100')
      const rest = ['--from', file, '--config', config, '--for', '40s', '-o', 'json']
      return JSON.parse(await berth('whatif', ...question, ...rest)) as Forecast
    }

    /** The deleted pods and the seconds until their deletion, from the audit log of the API server. */
    async function happens(act: () => void | Promise<void>, seconds: number): Promise<ReadonlyMap<string, number>> {
      const begun = Date.now()
      const gone = new Map<string, number>()
      const before = await hands.client.call({ verb: 'list', resource: 'pods' })
      if (!before.ok || before.kind !== 'list') throw new Error('the pods cannot be listed')
      const known = new Set(before.items.map(({ metadata }) => metadata.uid ?? ''))
      const watch = hands.client.watch(
        { resource: 'pods', resourceVersion: before.resourceVersion },
        (events) => {
          for (const event of events) {
            if (event.type === 'ERROR') process.stderr.write(JSON.stringify(event) + '\n')
            if (event.type !== 'MODIFIED' && event.type !== 'DELETED') continue
            const { name, uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = event.object.metadata
            const at = parseTime(deletionTimestamp)
            if (at === undefined || !known.has(uid) || gone.has(name)) continue
            gone.set(name, (at - deletionGracePeriodSeconds * 1000 - begun) / 1000)
          }
        },
        () => {},
      )
      await act()
      await new Promise((next) => setTimeout(next, seconds * 1000))
      watch.cancel()
      return gone
    }

    /** The same pods, each within this number of seconds of the forecast. */
    function expectAgreement({ pods }: Forecast, real: ReadonlyMap<string, number>, toleranceSeconds: number) {
      const foretold = new Map(
        pods.flatMap(({ pod, created, deleted }) =>
          created !== undefined || deleted === undefined ? [] : [[pod.slice(pod.indexOf('/') + 1), deleted] as const],
        ),
      )
      expect([...real.keys()].sort()).toEqual([...foretold.keys()].sort())
      for (const [name, seconds] of real) {
        const difference = Math.abs(seconds - (foretold.get(name) ?? 0))
        expect(difference, `${name}: foretold ${foretold.get(name)} s, happened ${seconds} s`).toBeLessThan(
          toleranceSeconds,
        )
      }
    }

    it('forecasts which pods a NoExecute taint deletes, at once and after their toleration', async () => {
      const told = await forecast('taint', 'n1', 'maintenance=now:NoExecute')
      expect(told.answer.deleted).toBeGreaterThan(1)
      const real = await happens(() => void kubectl('taint', 'node', 'n1', 'maintenance=now:NoExecute'), 12)
      await kubectl('taint', 'node', 'n1', 'maintenance-')
      await settled()
      expectAgreement(told, real, 2)
    })

    it('forecasts deletions that wait for earlier requests after a NoExecute taint on a full node', async () => {
      const crowd = podSpec('10m', { nodeSelector: { 'kubernetes.io/hostname': 'n3' } })
      await hands.create('deployments.apps', workload('Deployment', 'crowd', { replicas: 70 }, crowd))
      await settled(94)
      const told = await forecast('taint', 'n3', 'maintenance=now:NoExecute')
      const real = await happens(() => void kubectl('taint', 'node', 'n3', 'maintenance=now:NoExecute'), 18)
      await kubectl('taint', 'node', 'n3', 'maintenance-')
      await kubectl('delete', 'deployment', 'crowd', '--now')
      await settled()
      // The first deleted pod depends on threads; the number of deleted pods at a time does not.
      const ofCrowd = (names: Iterable<readonly [string, number]>) =>
        [...names]
          .filter(([name]) => name.includes('crowd-'))
          .map(([, seconds]) => seconds)
          .sort((a, b) => a - b)
      const foretold = ofCrowd(
        told.pods.flatMap(({ pod, created, deleted }) =>
          created !== undefined || deleted === undefined ? [] : [[pod, deleted] as const],
        ),
      )
      const happened = ofCrowd(real)
      expect([foretold.length, happened.length]).toEqual([70, 70])
      // The reads and marks of all pods come first: two of three requests. The burst covers the first thirty requests.
      expect(foretold[0]).toBeGreaterThan(4)
      for (const [at, seconds] of happened.entries()) {
        const difference = Math.abs(seconds - (foretold[at] as number))
        expect(difference, `deletion ${at + 1}: foretold ${foretold[at]} s, happened ${seconds} s`).toBeLessThan(3)
      }
    })

    it('forecasts which pods of a silent node are deleted, and when', async () => {
      const told = await forecast('fail', 'node', 'n4')
      expect(told.answer.deleted).toBeGreaterThan(1)
      const silent = (is: 'true' | null) =>
        hands.merge('nodes', 'n4', { metadata: { annotations: { [hollowAnnotations.silent]: is } } })
      const real = await happens(() => silent('true'), 25)
      await silent(null)
      await settled()
      // The time of the last heartbeat is known in seconds, and a pass of the monitor takes one.
      expectAgreement(told, real, 6)
    })

    it('forecasts which pods a drain evicts', async () => {
      const told = await forecast('drain', 'n2')
      const real = await happens(() => void kubectl('drain', 'n2', '--ignore-daemonsets', '--timeout=30s'), 8)
      await kubectl('uncordon', 'n2')
      await settled()
      expectAgreement(told, real, 4)
    })

    it('forecasts which pods a pod of high priority preempts', async () => {
      await kubectl('delete', 'priorityclass/high', 'pod/preemptor', '--ignore-not-found', '--now')
      await kubectl('create', 'priorityclass', 'high', '--value=1000')
      await settled()
      const preemptor = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'preemptor', namespace: 'default' },
        // There is room for the agent and for no other pod, because the choice among others would depend on their order.
        spec: podSpec('3950m', { priorityClassName: 'high', nodeSelector: { 'kubernetes.io/hostname': 'n5' } }),
      }
      const file = join(cluster.folder, 'preemptor.json')
      writeFileSync(file, JSON.stringify(preemptor))
      const told = await forecast('apply', '-f', file)
      expect(told.answer.deleted).toBeGreaterThan(0)
      const real = await happens(() => void kubectl('create', '-f', file), 8)
      expectAgreement(told, real, 4)
      const pod = await hands.get<Pod>('pods', 'preemptor', 'default')
      expect(pod?.spec.nodeName).toBe('n5')
    })
  },
)
