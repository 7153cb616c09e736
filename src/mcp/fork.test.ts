import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { readSettings } from '../controlplane/settings.ts'
import type { Store } from '../store/contract.ts'
import { buildForecast } from '../whatif/report/build-forecast.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { baselineOf } from '../whatif/scenario/forecast-plan.ts'
import { findCluster } from '../whatif/snapshot/found-cluster.ts'
import { Fork, type ForkSettings, forkPlan, plannedStepOf, type Snapshot } from './fork.ts'

const path = new URL('../../test/mcp/cluster.json', import.meta.url)
const { items } = JSON.parse(readFileSync(path, 'utf8')) as { readonly items: readonly KubeObject[] }
const snapshot: Snapshot = { id: 's1', source: 'cluster.json', hash: '', input: findCluster({ objects: items }) }

function settingsOf(flags: Readonly<Record<string, unknown>> = {}, seed = '1'): ForkSettings {
  const settings = readSettings({ 'kubernetes-version': '1.36', ...flags })
  if (!settings.ok) throw new Error(settings.message)
  return { settings: settings.value, flags, seed }
}

const work = { pause: () => undefined, isLate: () => false }

/** All objects but events, without what counts the writes of the whole store. */
function objectsIn(store: Store): unknown {
  return store
    .resources()
    .filter((resource) => resource !== 'events' && store.count(resource) > 0)
    .toSorted()
    .map((resource) => [
      resource,
      store.list(resource).map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => ({ ...rest, metadata })),
    ])
}

const web = { target: 'deployment/shop/web' }

async function changed(): Promise<Fork> {
  const fork = Fork.open('f1', snapshot, settingsOf())
  await fork.perform({ drain: { node: 'node-1' } })
  await fork.advanceTo(60_000, work)
  await fork.perform({ scale: { ...web, replicas: 4 } })
  await fork.perform({ fail: { node: 'node-2' } })
  await fork.advanceTo(600_000, work)
  return fork
}

describe('a fork', () => {
  it('a fork has the same objects as its copy', async () => {
    const fork = await changed()
    const other = await fork.fork('f2', fork.how, work)
    expect(other.elapsedMs).toBe(fork.elapsedMs)
    expect(objectsIn(other.run.cluster.store)).toEqual(objectsIn(fork.run.cluster.store))
    await fork.advanceTo(900_000, work)
    await other.advanceTo(900_000, work)
    expect(objectsIn(other.run.cluster.store)).toEqual(objectsIn(fork.run.cluster.store))
  })

  it('a fork has the same objects as berth simulate has after the same changes', async () => {
    const fork = await changed()
    const steps = await Promise.all(fork.written.map((step) => plannedStepOf(step, '')))
    const plan = { ...forkPlan(snapshot.input, fork.how.settings, ''), steps, untilMs: fork.elapsedMs }
    const replayed = ForecastRun.start(plan, { seed: '1' }).finish()
    expect(objectsIn(replayed.cluster.store)).toEqual(objectsIn(fork.run.cluster.store))
    expect(buildForecast(replayed).timeline).toEqual(buildForecast(fork.run).timeline)
  })

  it('a rejected change does not affect a fork, including the names of later pods', async () => {
    const [fork, other] = [Fork.open('f1', snapshot, settingsOf()), Fork.open('f2', snapshot, settingsOf())]
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'x-', namespace: 'shop' }, spec: {} }
    await expect(fork.perform({ apply: [pod] })).rejects.toThrow('spec.containers: Required value')
    await expect(fork.perform({ patch: { ...web, patch: { spec: { replicas: -1 } } } })).rejects.toThrow(
      'The Deployment "web" is invalid: spec.replicas',
    )
    await expect(fork.perform({ delete: ['pod/shop/absent'] })).rejects.toThrow('Error from server (NotFound)')
    await expect(fork.perform({ drain: { node: 'node-9' } })).rejects.toThrow('did you mean')
    await expect(fork.perform({ drain: { nod: 'node-1' } })).rejects.toThrow('did you mean node?')
    await expect(fork.perform({ apply: ['/etc/passwd'] })).rejects.toThrow('is a file name')
    expect(fork.written).toEqual([])
    for (const one of [fork, other]) await one.perform({ scale: { ...web, replicas: 5 } })
    expect(objectsIn(fork.run.cluster.store)).toEqual(objectsIn(other.run.cluster.store))
  })

  it('a forecast from the current state of a fork agrees with the later facts of the fork', async () => {
    const fork = await changed()
    const before = objectsIn(fork.run.cluster.store)
    const step = await plannedStepOf({ at: '0.001s', recover: { node: 'node-2' } }, '')
    const plan = fork.forecastPlan('recover', { steps: [step], untilMs: 900_000, expect: [] })
    const forecast = buildForecast(ForecastRun.start(plan, { seed: '1' }).finish())
    expect(objectsIn(fork.run.cluster.store)).toEqual(before)
    await fork.perform({ recover: { node: 'node-2' } })
    await fork.advanceTo(1_500_000, work)
    const { after } = buildForecast(fork.run)
    const { nodes, nodesReady, pods, cpu, memory } = after
    expect(forecast.after).toMatchObject({ nodes, nodesReady, pods, cpu, memory })
    expect(forecast.before.nodesReady).toBe(3)
    expect(forecast.after.nodesReady).toBe(4)
  })

  it('does not count a drain that was blocked before as an effect of another change', async () => {
    const fork = Fork.open('f1', snapshot, settingsOf())
    await fork.perform({ drain: { node: 'node-1' } })
    await fork.advanceTo(60_000, work)
    const verdictOf = async (change: object) => {
      const steps = [await plannedStepOf({ at: '0s', ...change }, '')]
      const plan = fork.forecastPlan('', { steps, untilMs: 600_000, expect: [] })
      const baseline = ForecastRun.start(baselineOf(plan), { seed: '1' }).finish()
      return buildForecast(ForecastRun.start(plan, { seed: '1' }).finish(), { baseline })
    }
    expect(await verdictOf({ scale: { target: 'deployment/shop/api', replicas: 4 } })).toMatchObject({
      verdict: 'SAFE',
    })
    expect(await verdictOf({ scale: { ...web, replicas: 3 } })).toMatchObject({
      verdict: 'SAFE',
      drains: { drained: [{ node: 'node-1' }], open: [] },
    })
    expect(await verdictOf({ drain: { node: 'node-4' } })).toMatchObject({
      verdict: 'BLOCKED',
      drains: { drained: [], open: ['node-4'] },
    })
  })

  it('a fork repeats its changes with another seed or release', async () => {
    const fork = await changed()
    const names = (of: Fork) => of.run.cluster.store.list('pods').map(({ metadata }) => metadata.name)
    expect(names(await fork.fork('f2', settingsOf({}, '2'), work))).not.toEqual(names(fork))
    const newer = await fork.fork('f3', settingsOf({ 'kubernetes-version': '1.37' }), work)
    expect(newer.how.settings.release.minor).toBe('1.37')
    expect(newer.written).toEqual(fork.written)
  })
})
