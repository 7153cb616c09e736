import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHollowKubelet } from '../../src/controllers/hollow-kubelet/controller.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { hollowNodes } from '../../src/controlplane/hollow-nodes.ts'
import { createRunDriver, type RunDriver } from '../../src/runtime/run-driver.ts'
import { type Connection, connect } from './connection.ts'
import {
  buildParts,
  clusterRelease,
  eventually,
  missing,
  type RealCluster,
  startRealCluster,
  stop,
} from './real-parts.ts'
import { stories, type WorkloadStep } from './workload-stories.ts'

// The same commands on kube-apiserver, kube-controller-manager and kube-scheduler with hollow kubelets, and on `berth
// up`: users see the same output afterwards.

const run = promisify(execFile)
const reason = missing()

/** Normalizes random or hashed parts of a text: names of pods, of ReplicaSets, of the Jobs of a CronJob. */
const withoutLots = (text: string) =>
  text
    .replaceAll(/\b([a-z]+(?:-\d)?)-[bcdfghjklmnpqrstvwxz2456789]{5,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?\b/g, '$1-*')
    .replaceAll(/-\d{8}(-\S{5})?\b/g, '-*')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')

type Seen = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: whatever kubectl prints
type Item = any

function statusOf({ kind, metadata, status = {} }: Item): readonly [string, unknown] {
  const { conditions, uncountedTerminatedPods: _, ...rest } = status
  const said = (conditions ?? [])
    .map((one: Item) =>
      [one.type, one.status, one.reason, one.message].filter((word) => word !== undefined).join(' | '),
    )
    .sort()
  const own = kind === 'Pod' ? { phase: status.phase } : rest
  return [
    `${kind} ${metadata.name}`,
    JSON.parse(withoutLots(JSON.stringify({ ...own, ...(kind === 'Pod' ? {} : { said }) }))),
  ]
}

/** How often each event was recorded. */
function tally(events: readonly Item[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type, reason: why, message, involvedObject, source, reportingComponent, count, series } of events) {
    const who = source?.component || reportingComponent
    if (who === 'kubelet' || who === 'default-scheduler') continue
    const line = withoutLots(`${who} ${involvedObject.kind} ${involvedObject.name}: ${type} ${why}: ${message}`)
    counts[line] = (counts[line] ?? 0) + (series?.count ?? count ?? 1)
  }
  // The number of attempts that cannot succeed is random.
  return Object.fromEntries(
    Object.entries(counts)
      .map(([line, times]) => [line, /FailedCreate|NoPods/.test(line) ? 1 : times] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

describe.skipIf(reason !== undefined)(
  `workloads under berth and under kube-controller-manager v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    let kubelets: RunDriver
    let berth: ChildProcess
    let ours: string

    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster()
      hands = await connect(cluster)
      await cluster.start('kube-controller-manager', ['--concurrent-job-syncs=5'])
      await cluster.start('kube-scheduler')
      const kubelet = createHollowKubelet({ serves: 'labeled', stages: packs.fast, stopWithinMs: 1_000, spread: true })
      kubelets = createRunDriver({
        client: hands.client,
        clock: new RealClock(),
        random: createRandom('kubelets'),
        log: silentLogger,
        controllers: [kubelet],
      })
      kubelets.start()
      const nodes = hollowNodes(3)
      await hands.createNodes(0, 3, (i) => nodes[i]!)
      const dir = join(cluster.folder, 'berth')
      ours = join(dir, 'kubeconfig')
      const release = ['--kubernetes-version', clusterRelease.minor]
      const args = ['up', '--ephemeral', '--port', '0', '--nodes', '3', '--data-dir', dir, ...release]
      berth = spawn(process.execPath, [resolve('bin/berth'), ...args], { stdio: 'ignore' })
      cluster.adopt(berth)
      await eventually(
        'berth is up',
        () => existsSync(join(dir, 'process.json')),
        (is) => is,
      )
    })
    afterAll(async () => {
      await kubelets?.stop()
      if (berth !== undefined) await stop(berth)
      hands?.close()
      await cluster?.close()
    })

    /** One of the two, in a separate namespace. */
    const inNamespace = (kubeconfig: string, namespace: string) => {
      const kubectl = async (args: readonly string[], input?: string) => {
        const child = run('kubectl', ['--kubeconfig', kubeconfig, '-n', namespace, ...args], { maxBuffer: 1 << 26 })
        child.child.stdin?.end(input)
        return (await child).stdout
      }
      const play = async (step: WorkloadStep) => {
        if ('apply' in step) {
          const list = { apiVersion: 'v1', kind: 'List', items: [step.apply].flat() }
          await kubectl(['apply', '-f', '-'], JSON.stringify(list))
        } else if ('kubectl' in step) await kubectl(step.kubectl.split(' '))
        else
          await eventually(
            `${step.until} ${step.path}`,
            () => kubectl(['get', step.until, '-o', `jsonpath=${step.path}`]),
            (text) => step.reads.test(text),
          )
      }
      const items = async (kinds: string): Promise<readonly Item[]> =>
        JSON.parse(await kubectl(['get', kinds, '-o', 'json'])).items
      const see = async (look: readonly string[]): Promise<Seen> => ({
        statuses: (await items(look.join(',')))
          .map(statusOf)
          .map(([name, status]) => [withoutLots(name), status])
          .sort(),
        events: tally(await items('events')),
      })
      return { kubectl, play, see }
    }

    it.concurrent.each(stories.map((story, index) => [story.name, story, index] as const))(
      '%s',
      { timeout: 240_000 },
      async (_, { steps, look }, index) => {
        const namespace = `story-${index}`
        const both = [cluster.kubeconfig, ours].map((kubeconfig) => inNamespace(kubeconfig, namespace))
        await Promise.all(
          both.map(async ({ kubectl, play }) => {
            await kubectl(['delete', 'namespace', namespace, '--ignore-not-found'])
            await kubectl(['create', 'namespace', namespace])
            for (const step of steps) await play(step)
          }),
        )
        const seen = () => Promise.all(both.map(({ see }) => see(look)))
        const same = ([real, here]: readonly Seen[]) => JSON.stringify(real) === JSON.stringify(here)
        await eventually('the same is seen', seen, same, 20).catch(() => undefined)
        const [real, here] = await seen()
        expect(here).toEqual(real)
      },
    )

    it.concurrent('reports what delays the deletion of a namespace, and deletes it', { timeout: 240_000 }, async () => {
      const held = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', finalizers: ['example.com/hold'] },
      }
      const both = [cluster.kubeconfig, ours].map((kubeconfig) => inNamespace(kubeconfig, 'story-end'))
      await Promise.all(
        both.map(async ({ kubectl, play }) => {
          await kubectl(['create', 'namespace', 'story-end'])
          await play({ apply: held })
          await kubectl(['delete', 'namespace', 'story-end', '--wait=false'])
        }),
      )
      const said = () =>
        Promise.all(
          both.map(async ({ kubectl }) =>
            statusOf(JSON.parse(await kubectl(['get', 'ns', 'story-end', '-o', 'json']))),
          ),
        )
      const [real, here] = await eventually('both say it', said, (all) =>
        all.every((one) => JSON.stringify(one).includes('example.com/hold in 1 resource instances')),
      )
      expect(here).toEqual(real)
      await Promise.all(
        both.map(async ({ kubectl }) => {
          await kubectl(['patch', 'configmap', 'held', '-p', '{"metadata":{"finalizers":null}}'])
          await kubectl(['wait', '--for=delete', 'namespace/story-end', '--timeout=60s'])
        }),
      )
    })
  },
)
