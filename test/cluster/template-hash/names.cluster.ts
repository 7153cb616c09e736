import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import { controllerOf } from '../../../src/api/owner-references.ts'
import { createRandom } from '../../../src/base/random.ts'
import { main } from '../../../src/cli/main.ts'
import { realPorts } from '../../../src/cli/ports.ts'
import { createDaemonSetController } from '../../../src/controllers/daemon-set/controller.ts'
import { createDeploymentController } from '../../../src/controllers/deployment/controller.ts'
import { WorkloadCluster } from '../../../src/controllers/workload-cluster.fixture.ts'
import { type Connection, connect } from '../connection.ts'
import { Mutator } from '../diff-mutation.ts'
import { seeds } from '../diff-seeds.ts'
import { buildParts, eventually, missing, type RealCluster, startRealCluster } from '../real-parts.ts'
import { templateShape } from './random-template.ts'

const reason = missing()
const attempts = 500
const outputs = ['replicasets.apps', 'controllerrevisions.apps'] as const

const richTemplate = seeds.find(({ resource }) => resource === 'podtemplates')?.object['template'] as JsonObject
/** Fields that random changes rarely reach: quantities of every form, claims inside volumes, embedded structs. */
const fixedTemplates: readonly JsonObject[] = [
  richTemplate,
  { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  {
    metadata: { labels: { app: 'web' }, creationTimestamp: null, annotations: { 'example.com/note': '<ü & 🚀>' } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: { limits: { memory: '64Mi', cpu: 0.5, 'example.com/a': '1000', 'ephemeral-storage': '100Ti' } },
          lifecycle: { postStart: { sleep: { seconds: 1 } } },
          env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }],
        },
      ],
      volumes: [
        { name: 'a', emptyDir: { sizeLimit: '64Mi' } },
        { name: 'b', emptyDir: {} },
        {
          name: 'c',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
            },
          },
        },
        {
          name: 'd',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't' } },
              { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
            ],
          },
        },
        { name: 'e', iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2001-04.com.example:x', lun: 0 } },
        { name: 'f', image: { reference: 'example/image:1' } },
      ],
      overhead: {},
      serviceAccountName: 'builder',
      hostNetwork: true,
      os: { name: 'linux' },
    },
  },
]

function workload(kind: 'Deployment' | 'DaemonSet', name: string, template: JsonObject, replicas = 0): KubeObject {
  const size = kind === 'Deployment' ? { replicas } : {}
  const spec = { ...size, selector: { matchLabels: { app: 'web' } }, template }
  return { apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'default' }, spec } as KubeObject
}

/** Owner → its name, and the hash in its labels. */
function named(objects: readonly KubeObject[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    objects.map((object) => {
      const { name, labels = {} } = object.metadata
      const hash = labels['pod-template-hash'] ?? labels['controller-revision-hash']
      return [controllerOf(object)?.name, `${name} ${hash}`]
    }),
  )
}

describe.skipIf(reason !== undefined)(
  `names that kube-controller-manager v1.36.4 gives${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ controllers: 'deployment-controller,daemonset-controller' })
      hands = await connect(cluster)
      await cluster.start('kube-controller-manager', ['--kube-api-qps=500', '--kube-api-burst=500'])
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })

    it('gives ReplicaSets and revisions of DaemonSets the same names as upstream', async () => {
      const own = new WorkloadCluster({
        controllers: [createDeploymentController(), createDaemonSetController()],
        kubelet: 'none',
      })
      const mutator = new Mutator(createRandom(36).stream('names'))
      let accepted = 0
      for (let i = 0; i < attempts; i++) {
        const kind = i % 3 === 2 ? 'DaemonSet' : 'Deployment'
        const resource = kind === 'Deployment' ? 'deployments.apps' : 'daemonsets.apps'
        const fixed = fixedTemplates[Math.floor(i / 3)]
        const template = fixed ?? mutator.mutate(mutator.mutate(richTemplate, templateShape), templateShape)
        const object = workload(kind, `w${i}`, template)
        const outcome = await hands.client.call({ verb: 'create', resource, namespace: 'default', object })
        if (!outcome.ok && outcome.status.reason !== 'AlreadyExists') {
          expect(fixed, outcome.status.message).toBeUndefined()
          continue
        }
        own.create(resource, object)
        accepted++
      }
      own.settle()
      expect(accepted).toBeGreaterThan(100)
      const real = await eventually(
        'every workload has its ReplicaSet or its revision',
        async () => (await Promise.all(outputs.map((resource) => hands.list(resource)))).flat(),
        (objects) => objects.length >= accepted,
      )
      expect(named(outputs.flatMap((resource) => own.list(resource)))).toEqual(named(real))
    })

    it('forecasts the name of the ReplicaSet that `apply -f` creates', async () => {
      const file = join(cluster.folder, 'shop.json')
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'shop:1' }] } }
      writeFileSync(file, JSON.stringify(workload('Deployment', 'shop', template, 2)))
      await hands.createNodes(0, 1)
      const printed: string[] = []
      const ports = realPorts()
      const stdout = { write: (text: string) => void printed.push(text), isTTY: false, columns: undefined }
      const args = ['whatif', 'apply', '-f', file, '--kubeconfig', cluster.kubeconfig, '-o', 'wide']
      const code = await main(args, { ...ports, stdout, stderr: stdout })
      expect(code, printed.join('')).toBe(0)
      cluster.kubectl('apply', '-f', file)
      const [replicaSet] = await eventually(
        'the ReplicaSet is there',
        async () => (await hands.list('replicasets.apps')).filter((one) => controllerOf(one)?.name === 'shop'),
        (found) => found.length === 1,
      )
      expect(printed.join('')).toContain(`default/${replicaSet?.metadata.name}-`)
    })
  },
)
