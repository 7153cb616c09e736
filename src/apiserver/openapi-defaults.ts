import type { Field, ScalarKind, Shape, StructShape } from '../api/schema/shape.ts'
import { lookupTable } from '../base/lookup-table.ts'

/** Defaults from the comments (+default) of the Go types, by type and field. */
const namedDefaults = lookupTable<unknown>({
  'core.AzureDiskVolumeSource.cachingMode': 'ReadWrite',
  'core.AzureDiskVolumeSource.fsType': 'ext4',
  'core.AzureDiskVolumeSource.kind': 'Shared',
  'core.AzureDiskVolumeSource.readOnly': false,
  'core.ConfigMapEnvSource.name': '',
  'core.ConfigMapKeySelector.name': '',
  'core.ConfigMapProjection.name': '',
  'core.ConfigMapVolumeSource.name': '',
  'core.ContainerPort.protocol': 'TCP',
  'core.FileKeySelector.optional': false,
  'core.GRPCAction.service': '',
  'core.ISCSIPersistentVolumeSource.iscsiInterface': 'default',
  'core.ISCSIVolumeSource.iscsiInterface': 'default',
  'core.LocalObjectReference.name': '',
  'core.RBDPersistentVolumeSource.keyring': '/etc/ceph/keyring',
  'core.RBDPersistentVolumeSource.pool': 'rbd',
  'core.RBDPersistentVolumeSource.user': 'admin',
  'core.RBDVolumeSource.keyring': '/etc/ceph/keyring',
  'core.RBDVolumeSource.pool': 'rbd',
  'core.RBDVolumeSource.user': 'admin',
  'core.ReplicationControllerSpec.minReadySeconds': 0,
  'core.ReplicationControllerSpec.replicas': 1,
  'core.ScaleIOPersistentVolumeSource.fsType': 'xfs',
  'core.ScaleIOPersistentVolumeSource.storageMode': 'ThinProvisioned',
  'core.ScaleIOVolumeSource.fsType': 'xfs',
  'core.ScaleIOVolumeSource.storageMode': 'ThinProvisioned',
  'core.SecretEnvSource.name': '',
  'core.SecretKeySelector.name': '',
  'core.SecretProjection.name': '',
  'core.ServicePort.protocol': 'TCP',
  'resource.DeviceToleration.operator': 'Equal',
})

/** Types of which at most one field is set: the fields by the value of the discriminator. */
const unions = lookupTable<readonly [discriminator: string | undefined, fields: readonly string[]]>({
  'core.AppArmorProfile': ['type', ['localhostProfile']],
  'core.PodSchedulingGroup': [undefined, ['podGroupName']],
  'core.SeccompProfile': ['type', ['localhostProfile']],
  'flowcontrol.LimitResponse': ['type', ['queuing']],
  'flowcontrol.PriorityLevelConfigurationSpec': ['type', ['exempt', 'limited']],
  'flowcontrol.Subject': ['kind', ['group', 'serviceAccount', 'user']],
})

export function unionOf(shape: StructShape): { readonly 'x-kubernetes-unions'?: readonly unknown[] } {
  const [discriminator, names = []] = unions[shape.id] ?? []
  const fields = Object.fromEntries(
    names.filter((name) => shape.fields.has(name)).map((name) => [name, shape.fields.get(name)?.goName]),
  )
  if (Object.keys(fields).length === 0) return {}
  const union = { ...(discriminator === undefined ? {} : { discriminator }), 'fields-to-discriminateBy': fields }
  return { 'x-kubernetes-unions': [union] }
}

/** Scalars without a named schema (kube-openapi, pkg/generators, mustEnforceDefault). */
const zeros: Readonly<Partial<Record<ScalarKind, unknown>>> = {
  string: '',
  int32: 0,
  int64: 0,
  float64: 0,
  bool: false,
}

/** The default in OpenAPI v3 of a value that is always present in Go: its zero value. */
export function zeroOf(shape: Shape): { readonly default?: unknown } {
  if (shape.is === 'struct') return { default: {} }
  const zero = shape.is === 'scalar' ? zeros[shape.kind] : undefined
  return zero === undefined ? {} : { default: zero }
}

export function defaultOf(owner: StructShape, field: Field): { readonly default?: unknown } {
  const named = namedDefaults[`${owner.id}.${field.name}`]
  if (named !== undefined) return { default: named }
  if (field.pointer || (field.shape.is === 'scalar' && field.omitEmpty)) return {}
  return zeroOf(field.shape)
}
