import { expect, it } from 'vitest'
import { karpenterObjects, karpenterOf } from '../../bench/workloads/karpenter-cluster.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { karpenterDefinitions } from '../../src/autoscalers/karpenter/definitions.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { buildForecast } from '../../src/whatif/report/build-forecast.ts'
import { ForecastRun } from '../../src/whatif/run/forecast-run.ts'
import { hasUnreadStatuses } from '../../src/whatif/run/unread-statuses.ts'
import type { ForecastPlan } from '../../src/whatif/scenario/forecast-plan.ts'
import { plannedStep } from '../../src/whatif/scenario/question.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'

const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const

it('leaves out the statuses of ReplicaSets and Deployments with Karpenter, without a difference in the forecast', () => {
  const { cluster, without } = findCluster({ objects: [...karpenterDefinitions, ...karpenterObjects(12, 240)] })
  const plan: ForecastPlan = {
    title: '',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: cluster,
    create: [],
    steps: [plannedStep({ kind: 'silence', nodes: zone })],
    untilMs: 1_800_000,
    expect: [],
    without,
    autoscaling: { karpenter: karpenterOf() },
  }
  expect(hasUnreadStatuses(plan)).toBe(true)
  const lean = ForecastRun.start(plan).finish()
  const full = ForecastRun.start(plan, { statuses: 'stored' }).finish()
  expect(lean.cluster.store.revision).toBeLessThan(full.cluster.store.revision)
  const isNew = ({ metadata }: KubeObject) => !metadata.name.startsWith('general-node-')
  expect(lean.cluster.store.list('nodeclaims.karpenter.sh').some(isNew)).toBe(true)
  expect(buildForecast(lean)).toEqual(buildForecast(full))
})
