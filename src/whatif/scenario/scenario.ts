import { choiceAt, durationAt, fieldOf, listAt, objectAt, textAt, WrongField } from '../../api/document-reader.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import type { Load } from '../../autoscalers/horizontal-pod-autoscaler/load.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { type PackName, packNames, packs } from '../../controllers/hollow-kubelet/packs.ts'
import { readStage } from '../../controllers/hollow-kubelet/read-stages.ts'
import type { Stage } from '../../controllers/hollow-kubelet/stage.ts'
import { knownFlags, readSettings, type Settings } from '../../controlplane/settings.ts'
import { readAutoscaling } from './autoscaling-reader.ts'
import { type Expectation, readExpectations } from './expectation.ts'
import { readLoads } from './load-reader.ts'
import type { PlannedStep } from './step.ts'
import { type ObjectLoader, readClusterObjects, readStep } from './step-reader.ts'

export const scenarioApiVersion = 'berth.dev/v1alpha1'

/** Settings of the hollow kubelets. */
export interface HollowSettings {
  readonly leaseRenewIntervalMs?: number
  readonly statusUpdateIntervalMs?: number
  readonly stages: readonly Stage[]
}

/** A parsed scenario file. */
export interface Scenario {
  readonly name: string
  readonly settings: Settings
  readonly hollow: HollowSettings
  /** Set if pods become ready as fast as earlier pods of their workload, in a running cluster. */
  readonly learnsStartups: boolean
  readonly autoscaling?: Autoscaling
  readonly load?: readonly Load[]
  readonly cluster: readonly KubeObject[]
  /** The time for which manifests of the cluster run before the start. */
  readonly settleMs?: number
  /** Sorted by time; steps at the same time keep the order of the file. */
  readonly steps: readonly PlannedStep[]
  readonly untilMs: number
  readonly expect: readonly Expectation[]
}

const topFields = [
  'apiVersion',
  'kind',
  'metadata',
  'config',
  'hollow',
  'autoscaling',
  'load',
  'cluster',
  'settle',
  'steps',
  'until',
  'expect',
]

/** Reads a document of kind Scenario. A failure names the path of the field and the expected value. */
export async function readScenario(
  document: unknown,
  load: ObjectLoader,
  /** Flags that take precedence over those of the scenario. */
  flags: Readonly<Record<string, unknown>> = {},
): Promise<Result<Scenario>> {
  try {
    return done(await scenarioOf(document, load, flags))
  } catch (error) {
    if (error instanceof WrongField) return failed(error.message)
    throw error
  }
}

async function scenarioOf(
  document: unknown,
  load: ObjectLoader,
  flags: Readonly<Record<string, unknown>>,
): Promise<Scenario> {
  const fields = objectAt(document, '', topFields)
  choiceAt(fields['apiVersion'], 'apiVersion', [scenarioApiVersion])
  choiceAt(fields['kind'], 'kind', ['Scenario'])
  const metadata = fields['metadata'] === undefined ? {} : objectAt(fields['metadata'], 'metadata')
  const steps: PlannedStep[] = []
  const listed = fields['steps'] === undefined ? [] : listAt(fields['steps'], 'steps')
  for (const [at, item] of listed.entries()) steps.push(await readStep(item, `steps[${at}]`, load))
  const untilMs = durationAt(fields['until'], 'until')
  const cluster = await readClusterObjects(fields['cluster'] ?? [], 'cluster', load)
  const late = steps.find(({ atMs }) => atMs > untilMs)
  if (late !== undefined) throw new WrongField(`${late.path}.at`, 'must not be later than until')
  return {
    name: metadata['name'] === undefined ? 'scenario' : textAt(metadata['name'], 'metadata.name', 'zone-outage'),
    settings: settingsAt(fields['config'], flags),
    ...(await hollowAt(fields['hollow'], load)),
    ...(fields['autoscaling'] === undefined
      ? {}
      : { autoscaling: readAutoscaling(fields['autoscaling'], 'autoscaling', nodesIn(cluster)) }),
    ...(fields['load'] === undefined ? {} : { load: await readLoads(fields['load'], 'load', load) }),
    cluster,
    ...(fields['settle'] === undefined ? {} : { settleMs: durationAt(fields['settle'], 'settle') }),
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    untilMs,
    expect: readExpectations(fields['expect'], 'expect'),
  }
}

function nodesIn(cluster: readonly KubeObject[]): readonly Node[] {
  return cluster.filter(({ kind }) => kind === 'Node') as readonly Node[]
}

function settingsAt(value: unknown, more: Readonly<Record<string, unknown>>): Settings {
  const flags = value === undefined ? {} : objectAt(value, 'config', Object.keys(knownFlags))
  const settings = readSettings({ ...flags, ...more })
  if (!settings.ok) throw new WrongField('config', settings.message)
  return settings.value
}

const hollowFields = ['leaseRenewInterval', 'statusUpdateInterval', 'pack', 'stages']

async function hollowAt(value: unknown, load: ObjectLoader): Promise<Pick<Scenario, 'hollow' | 'learnsStartups'>> {
  const fields = value === undefined ? {} : objectAt(value, 'hollow', hollowFields)
  const pack: PackName = fields['pack'] === undefined ? 'fast' : choiceAt(fields['pack'], 'hollow.pack', packNames)
  const own = fields['stages'] === undefined ? [] : await stagesAt(fields['stages'], load)
  const hollow = {
    ...duration(fields, 'leaseRenewInterval', 'leaseRenewIntervalMs'),
    ...duration(fields, 'statusUpdateInterval', 'statusUpdateIntervalMs'),
    // Custom stages come first: the first stage that selects an object applies.
    stages: [...own, ...packs[pack]],
  }
  return { hollow, learnsStartups: pack === 'forecast' }
}

async function stagesAt(value: unknown, load: ObjectLoader): Promise<readonly Stage[]> {
  const stages: Stage[] = []
  for (const [at, item] of listAt(value, 'hollow.stages').entries()) {
    const path = `hollow.stages[${at}]`
    for (const document of typeof item === 'string' ? await load(item) : [item]) {
      const stage = readStage(document)
      if (!stage.ok) throw new WrongField(path, stage.message)
      stages.push(stage.value)
    }
  }
  return stages
}

function duration<Name extends string>(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  name: Name,
): { readonly [N in Name]?: number } {
  const value = fields[field]
  if (value === undefined) return {}
  const ms = durationAt(value, fieldOf('hollow', field))
  if (ms === 0) throw new WrongField(fieldOf('hollow', field), 'must be greater than 0s')
  return { [name]: ms } as { readonly [N in Name]?: number }
}
