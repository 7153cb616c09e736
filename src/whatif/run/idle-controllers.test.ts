import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { createVirtualCluster } from '../../controlplane/virtual.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import { plannedStep } from '../scenario/question.ts'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { ForecastRun } from './forecast-run.ts'
import { idleControllers } from './idle-controllers.ts'
import { deployment, dumpOf, told } from './story.fixture.ts'

const { zoneA, zoneB } = createScenarioNodes()
const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const

describe('idle controllers', () => {
  it('lists only existing controllers', () => {
    const { store } = createVirtualCluster({ startMs: 0, controllers: [] })
    const idle = idleControllers(store, { create: [], steps: [] })
    expect(idle.filter((name) => !Object.hasOwn(controllerFactories, name))).toEqual([])
    expect(idle).toContain('daemonset')
  })

  it('omits no controller if objects may be created, and no controller that is restarted', () => {
    const { store } = createVirtualCluster({ startMs: 0, controllers: [] })
    expect(idleControllers(store, { create: [], steps: [plannedStep({ kind: 'apply', objects: [] })] })).toEqual([])
    const steps = [plannedStep({ kind: 'restart', controller: 'disruption' })]
    expect(idleControllers(store, { create: [], steps })).not.toContain('disruption')
  })

  it('gives the same facts with and without idle controllers', async () => {
    const { items } = (await dumpOf([...zoneA(3), ...zoneB(3), deployment('web', 6)])) as { items: KubeObject[] }
    const { cluster } = findCluster({ objects: items })
    const common: ForecastPlan = {
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: cluster,
      create: [],
      steps: [plannedStep({ kind: 'silence', nodes: zone }), plannedStep({ kind: 'revive', nodes: zone }, 900_000)],
      untilMs: 1_800_000,
      expect: [],
    }
    const lean = ForecastRun.start(common).finish()
    // Even a patch that changes nothing makes all controllers run.
    const target = { kind: 'node', name: 'b1' }
    const nothing = plannedStep({ kind: 'patch', target, patch: {}, type: 'merge' }, 1_799_000)
    const full = ForecastRun.start({ ...common, steps: [...common.steps, nothing] }).finish()
    expect(full.cluster.driver.controller('daemonset-controller')).toBeDefined()
    expect(lean.cluster.driver.controller('daemonset-controller')).toBeUndefined()
    const happenings = (forecastRun: ForecastRun) =>
      told(forecastRun.recorder.facts.filter(({ what }) => what !== 'step'))
    expect(happenings(lean)).toEqual(happenings(full))
    expect(happenings(lean).length).toBeGreaterThan(20)
  })
})
