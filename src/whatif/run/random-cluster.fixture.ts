import { createRandom } from '../../base/random.ts'
import { budget, deployment, node } from './story.fixture.ts'

/** Clusters with budgets of different sizes, pinned pods, spread constraints, and little free capacity. */
export function randomCluster(seed: string): readonly object[] {
  const random = createRandom(seed).stream('cluster')
  const below = (limit: number) => random.int(limit)
  const names = Array.from({ length: 6 + below(4) }, (_, at) => `n${at}`)
  const nodes = names.map((name, at) => node(name, { zone: `zone-${'abc'[at % 3]}`, cpu: below(4) === 0 ? '2' : '4' }))
  const apps = Array.from({ length: 4 + below(4) }, (_, at) => {
    const replicas = 1 + below(4)
    const name = `app-${at}`
    const on = below(5) === 0 ? { on: names[below(names.length)] as string } : {}
    const app = deployment(name, replicas, { cpu: `${2 + below(8)}00m`, ...on }) as {
      spec: { template: { spec: object } }
    }
    if (below(4) === 0) {
      const spread = {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: name } },
      }
      Object.assign(app.spec.template.spec, { topologySpreadConstraints: [spread] })
    }
    return [app, ...(below(2) === 0 ? [budget(name, Math.max(1, replicas - below(2)))] : [])]
  })
  return [...nodes, ...apps.flat()]
}
