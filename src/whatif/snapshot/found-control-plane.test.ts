import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { clusterFlags } from './assumed-flags.ts'
import { findCluster } from './found-cluster.ts'
import { componentOf, controlPlaneNotes, refusedGates, schedulerFile } from './found-control-plane.ts'
import { trimObject } from './trimming.ts'

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'n' }, status: {} }

function pod(component: string, flags: readonly string[], more: object = {}, name = `${component}-n1`): KubeObject {
  const image = `registry.k8s.io/${component}:v1.36.2`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system', uid: name, ...more },
    spec: { nodeName: 'n1', containers: [{ name: component, image, command: [component, ...flags] }] },
  } as KubeObject
}

const manager = pod('kube-controller-manager', [
  '--cluster-signing-key-file=/etc/kubernetes/pki/ca.key',
  '--feature-gates=MaxUnavailableStatefulSet=true',
  '--node-monitor-grace-period=20s',
])
const server = pod('kube-apiserver', ['--etcd-servers=https://127.0.0.1:2379'])

describe('the control plane of a cluster', () => {
  it('gives a forecast the version of the API server and the flags of its pods, and reports this', () => {
    const { kubernetes, notes } = findCluster({ objects: [node, manager, server] as KubeObject[] })
    expect(kubernetes).toMatchObject({ version: '1.36.2', said: 'v1.36.2' })
    expect(clusterFlags(kubernetes)).toEqual({
      'kubernetes-version': '1.36.2',
      'feature-gates': 'MaxUnavailableStatefulSet=true',
      'node-monitor-grace-period': '20s',
    })
    const flags = '--node-monitor-grace-period=20s --feature-gates=MaxUnavailableStatefulSet=true'
    expect(notes.map(({ text }) => text)).toContain(`flags of the control plane are those of its pods: ${flags}`)
  })

  it('lets gates of the user take precedence over those of the cluster', () => {
    const { kubernetes } = findCluster({ objects: [node, manager, server] as KubeObject[] })
    expect(clusterFlags(kubernetes, { 'feature-gates': 'A=true' })).toMatchObject({
      'feature-gates': 'MaxUnavailableStatefulSet=true,A=true',
    })
  })

  it('reads the manifest of a static pod of a must-gather, and does not create its pod', () => {
    const { uid: _, ...metadata } = manager.metadata
    const manifest = { ...manager, metadata } as KubeObject
    const { kubernetes, manifests } = findCluster({ objects: [node, manifest] as KubeObject[] })
    expect(kubernetes.components).toMatchObject([{ component: 'kube-controller-manager', version: '1.36.2' }])
    expect(manifests).toEqual([])
  })

  it('ignores pods of other namespaces and other programs', () => {
    expect(componentOf(pod('kube-apiserver', [], { namespace: 'default' }))).toBeUndefined()
    expect(componentOf(pod('etcd', []))).toBeUndefined()
  })

  it('omits gates that the release refuses, with the message of upstream', () => {
    const gates = 'GangScheduling=true,GenericWorkload=true,HPAConfigurableTolerance=false,JobSuccessPolicy=true'
    const found = componentOf(pod('kube-scheduler', [`--feature-gates=${gates}`]))!
    const refusedIn = (version: string) => refusedGates([found], must(releaseOf(version))).map(({ why }) => why)
    expect(refusedIn('1.36')).toEqual([])
    expect(refusedIn('1.37')).toEqual([
      'unrecognized feature gate: GangScheduling',
      'cannot set feature gate HPAConfigurableTolerance to false, feature is locked to true',
      'unrecognized feature gate: JobSuccessPolicy',
    ])
    const flags = clusterFlags({ version: '1.36.2', components: [found] }, { 'kubernetes-version': '1.37' })
    expect(flags['feature-gates']).toBe('GenericWorkload=true')
  })

  it('reports the configuration file of kube-scheduler, and pods of a component with different flags', () => {
    const found = [
      componentOf(pod('kube-scheduler', ['--config', '/etc/kubernetes/scheduler.yaml']))!,
      componentOf(pod('kube-controller-manager', ['--node-monitor-period=2s'], {}, 'b'))!,
      componentOf(pod('kube-controller-manager', ['--node-monitor-period=1s'], {}, 'a'))!,
    ]
    expect(schedulerFile(found)).toBe('/etc/kubernetes/scheduler.yaml')
    expect(controlPlaneNotes(found, must(releaseOf('1.36'))).map(({ text }) => text)).toEqual([
      'flags of the control plane are those of its pods: --node-monitor-period=1s',
      'the pods of kube-controller-manager have different flags: those of kube-system/a are used',
    ])
  })

  it('keeps in a snapshot only the flags that a forecast uses', () => {
    const { spec } = trimObject(manager) as KubeObject & { readonly spec: { readonly containers: readonly object[] } }
    expect(spec.containers[0]).toMatchObject({
      command: [
        'kube-controller-manager',
        '--feature-gates=MaxUnavailableStatefulSet=true',
        '--node-monitor-grace-period=20s',
      ],
    })
  })
})
