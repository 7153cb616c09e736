import type { KubeObject } from '../api/objects/meta.ts'

/** The sample objects of `berth up --demo`. */
export const demoObjects: readonly { readonly resource: string; readonly object: KubeObject }[] = [
  priorityClass('important', 1000, 'Preempts pods without a priority.'),
  deployment({ name: 'web', replicas: 6, cpu: '500m', memory: '512Mi', spread: true }),
  deployment({ name: 'api', replicas: 4, cpu: '1', memory: '1Gi', tolerationSeconds: 20 }),
  deployment({ name: 'worker', replicas: 3, cpu: '250m', memory: '256Mi', tolerationSeconds: 60 }),
  {
    resource: 'poddisruptionbudgets.policy',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 5, selector: { matchLabels: { app: 'web' } } },
    } as KubeObject,
  },
]

/** The number of pods of the sample objects. */
export const demoPods = demoObjects.reduce(
  (sum, { object }) => sum + ((object as { readonly spec?: { readonly replicas?: number } }).spec?.replicas ?? 0),
  0,
)

function priorityClass(name: string, value: number, description: string) {
  const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description }
  return { resource: 'priorityclasses.scheduling.k8s.io', object: object as KubeObject }
}

interface DemoApp {
  readonly name: string
  readonly replicas: number
  readonly cpu: string
  readonly memory: string
  readonly spread?: boolean
  /** tolerationSeconds for the taint `maintenance:NoExecute`. */
  readonly tolerationSeconds?: number
}

function deployment(app: DemoApp) {
  const labels = { app: app.name }
  const spec = {
    terminationGracePeriodSeconds: 5,
    containers: [
      {
        name: app.name,
        image: `registry.example/${app.name}:1`,
        resources: { requests: { cpu: app.cpu, memory: app.memory } },
      },
    ],
    ...(app.spread === true
      ? {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'topology.kubernetes.io/zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: labels },
            },
          ],
        }
      : {}),
    ...(app.tolerationSeconds === undefined
      ? {}
      : {
          tolerations: [
            { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: app.tolerationSeconds },
          ],
        }),
  }
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app.name, namespace: 'default', labels },
    spec: { replicas: app.replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
  return { resource: 'deployments.apps', object: object as unknown as KubeObject }
}
