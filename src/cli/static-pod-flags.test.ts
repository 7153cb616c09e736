import { expect, it } from 'vitest'
import { flagsOfManifest, schedulerFileOf } from './static-pod-flags.ts'

const manifest = (command: readonly string[], image = 'registry.k8s.io/kube-controller-manager:v1.35.2') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
  spec: { containers: [{ name: 'kube-controller-manager', image, command }] },
})

it('reads the flags that berth knows, the feature gates and the version of a static pod', () => {
  const command = [
    'kube-controller-manager',
    '--allocate-node-cidrs=true',
    '--feature-gates=MaxUnavailableStatefulSet=true',
    '--kubeconfig=/etc/kubernetes/controller-manager.conf',
    '--node-eviction-rate',
    '0.5',
  ]
  expect(flagsOfManifest(manifest(command))).toEqual({
    'kubernetes-version': '1.35.2',
    'allocate-node-cidrs': 'true',
    'feature-gates': 'MaxUnavailableStatefulSet=true',
    'node-eviction-rate': '0.5',
  })
})

it('finds the configuration file of kube-scheduler in its manifest, and none in other documents', () => {
  expect(schedulerFileOf(manifest(['kube-scheduler', '--config', '/etc/s.yaml']))).toBe('/etc/s.yaml')
  expect(schedulerFileOf(manifest(['kube-scheduler', '--v=2']))).toBeUndefined()
  expect(schedulerFileOf(manifest(['kube-controller-manager', '--config=x']))).toBeUndefined()
  expect(schedulerFileOf({ 'node-eviction-rate': 0.5 })).toBeUndefined()
})

it('reads only the feature gates and the version of a kube-apiserver', () => {
  const command = ['kube-apiserver', '--feature-gates=A=true', '--service-cluster-ip-range=10.96.0.0/12']
  expect(flagsOfManifest(manifest(command, 'kube-apiserver:v1.36.1@sha256:abc'))).toEqual({
    'kubernetes-version': '1.36.1',
    'feature-gates': 'A=true',
  })
})

it('flags of a static pod are undefined for other documents, and refused for other pods', () => {
  expect(flagsOfManifest({ 'node-eviction-rate': 0.5 })).toBeUndefined()
  expect(() => flagsOfManifest(manifest(['etcd']))).toThrow(
    'the pod runs none of kube-apiserver, kube-controller-manager, kube-scheduler',
  )
})
