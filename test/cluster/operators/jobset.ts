import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentials } from '../../../src/apiserver/certificates.ts'
import { eventually } from '../real-parts.ts'
import { apply, manifestsOf, reachable } from './manifests.ts'
import type { Kubectl, Operator, OperatorPlace } from './operator.ts'

const source = { name: 'jobset', module: 'sigs.k8s.io/jobset', version: 'v0.10.1' }
const namespace = 'jobset-system'
const service = 'jobset-webhook-service'
const inWork = ['--namespace', 'sets'] as const

export const jobset: Operator = {
  ...source,
  program: '.',
  install: (place) => {
    const { caCertificate, serverCertificate, serverKey } = createCredentials({
      now: Date.now(),
      hosts: [`${service}.${namespace}.svc`],
      adminToken: '',
    })
    const caBundle = Buffer.from(caCertificate).toString('base64')
    apply(
      place,
      manifestsOf(source, 'config/default').map((manifest) => reachable(manifest, service, place, caBundle)),
    )
    const certDir = join(place.folder, 'certificates')
    mkdirSync(certDir, { recursive: true })
    writeFileSync(join(certDir, 'tls.crt'), serverCertificate)
    writeFileSync(join(certDir, 'tls.key'), serverKey)
    const file = join(place.folder, 'config.json')
    writeFileSync(file, JSON.stringify(configurationOf(place, certDir)))
    return {
      args: [`--config=${file}`, '--zap-devel=false', '--zap-encoder=json'],
      serviceAccount: `${namespace}/jobset-controller-manager`,
    }
  },
  work: async (kubectl) => {
    kubectl(['create', 'namespace', 'sets'])
    kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(jobSet('train', 2)))
    await running(kubectl, 5)
    for (const pod of podsOf(kubectl))
      kubectl(['patch', 'pod', pod, ...inWork, '--subresource=status', '-p', '{"status":{"phase":"Succeeded"}}'])
    const completed = () =>
      kubectl(['get', 'jobset/train', ...inWork, '-o', 'jsonpath={.status.conditions[*].type}']).split(' ')
    await eventually('the JobSet is completed', completed, (types) => types.includes('Completed'), 90)
    kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(jobSet('again', 1)))
    await running(kubectl, 3)
    kubectl(['patch', 'jobset/again', ...inWork, '--type=merge', '-p', '{"spec":{"suspend":true}}'])
    await running(kubectl, 0)
    kubectl(['delete', 'jobset', '--all', ...inWork])
    kubectl(['delete', 'namespace', 'sets', '--timeout=90s'])
  },
}

function configurationOf({ ports }: OperatorPlace, certDir: string): object {
  return {
    apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
    kind: 'Configuration',
    leaderElection: { leaderElect: true, resourceNamespace: namespace },
    internalCertManagement: { enable: false },
    webhook: { host: '127.0.0.1', port: ports.webhook, certDir },
    metrics: { bindAddress: `127.0.0.1:${ports.metrics}` },
    health: { healthProbeBindAddress: `127.0.0.1:${ports.health}` },
  }
}

const podsOf = (kubectl: Kubectl) =>
  kubectl(['get', 'pods', ...inWork, '--field-selector=status.phase=Pending', '-o', 'name'])
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace('pod/', ''))

/** There is no kubelet: pods that have a node are pending. */
async function running(kubectl: Kubectl, count: number): Promise<void> {
  const placed = () =>
    kubectl([
      'get',
      'pods',
      ...inWork,
      '--field-selector=status.phase=Pending',
      '-o',
      'jsonpath={range .items[*]}{.spec.nodeName}{"\\n"}{end}',
    ])
      .split('\n')
      .filter((name) => name !== '').length
  await eventually(`${count} pods have a node`, placed, (found) => found === count, 90)
}

function jobSet(name: string, workers: number): object {
  const template = (parallelism: number) => ({
    spec: {
      parallelism,
      completions: parallelism,
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '100m' } } }],
        },
      },
    },
  })
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name },
    spec: {
      replicatedJobs: [
        { name: 'driver', replicas: 1, template: template(1) },
        { name: 'workers', replicas: workers, template: template(2) },
      ],
    },
  }
}
