import { expect, it } from 'vitest'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import type { Change } from '../../runtime/controller.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { createClusterAutoscaler } from './controller.ts'
import { NodeCloud } from './node-cloud.ts'
import { readAutoscalerOptions } from './options.ts'

/** The number of status writes in four scans of a cluster without changes. */
function writes(runsEveryLoop: boolean): number {
  const options = must(readAutoscalerOptions({}))
  const profile = createDefaultProfile()
  const autoscaler = createClusterAutoscaler({ groups: [], options, profile, cloud: new NodeCloud(), runsEveryLoop })
  const view = createReadModel()
  const random = createRandom('1')
  const node = { resource: 'nodes', key: 'a', after: { metadata: { name: 'a' } } } as unknown as Change
  view.apply([node])
  let count = 0
  for (let now = 0; now <= 45_000; now += 1_000) {
    const changes = now === 0 ? [node] : []
    const { actions = [] } = autoscaler.step({ changes, results: [], answers: [], now, wall: now, random, view })
    count += actions.filter((action) => action.kind === 'call' && action.call.resource === 'configmaps').length
  }
  return count
}

it('writes the status in every loop of a live cluster, and in virtual time only after a change', () => {
  expect([writes(true), writes(false)]).toEqual([4, 1])
})
