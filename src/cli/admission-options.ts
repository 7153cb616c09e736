import { resolve } from 'node:path'
import { readAuditPolicy } from '../apiserver/audit/policy.ts'
import type { ApiProcessOptions } from '../controlplane/api-process.ts'
import {
  defaultPodSecurity,
  type PodSecuritySettings,
  readPodSecurity,
} from '../registry/admission/pod-security/settings.ts'
import { type Files, integer, repeated, text, wrongQuestion } from './command.ts'
import { parseDocuments } from './yaml.ts'

/** Every admission plugin of kube-apiserver v1.36, in order. */
const plugins = [
  ...['AlwaysAdmit', 'NamespaceAutoProvision', 'NamespaceLifecycle', 'NamespaceExists'],
  ...['LimitPodHardAntiAffinityTopology', 'LimitRanger', 'ServiceAccount', 'NodeRestriction', 'TaintNodesByCondition'],
  ...[
    'AlwaysPullImages',
    'ImagePolicyWebhook',
    'PodSecurity',
    'PodNodeSelector',
    'Priority',
    'DefaultTolerationSeconds',
  ],
  ...['PodTolerationRestriction', 'EventRateLimit', 'ExtendedResourceToleration', 'DefaultStorageClass'],
  ...['StorageObjectInUseProtection', 'PodGroupProtection', 'OwnerReferencesPermissionEnforcement'],
  ...['PersistentVolumeClaimResize', 'RuntimeClass', 'CertificateApproval', 'CertificateSigning'],
  ...['ClusterTrustBundleAttest', 'CertificateSubjectRestriction', 'DefaultIngressClass', 'DenyServiceExternalIPs'],
  ...['PodTopologyLabels', 'PodGroupWorkloadExists', 'NodeDeclaredFeatureValidator', 'JobValidation'],
  ...['PodResizeValidator', 'MutatingAdmissionPolicy', 'MutatingAdmissionWebhook', 'ValidatingAdmissionPolicy'],
  ...['ValidatingAdmissionWebhook', 'ResourceQuota', 'AlwaysDeny'],
]

/** Admission options of the API server. Their names are those of kube-apiserver's flags. */
export const admissionOptions = {
  enableAdmissionPlugins: repeated({
    summary:
      'Admission plugins to enable besides those that are on by default, separated by commas: NodeRestriction, PodSecurity',
    value: 'LIST',
  }),
  disableAdmissionPlugins: repeated({ summary: 'Admission plugins to disable, separated by commas', value: 'LIST' }),
  admissionControlConfigFile: text({
    summary: 'File with an AdmissionConfiguration; only the configuration of PodSecurity is used',
    value: 'FILE',
  }),
  auditPolicyFile: text({ summary: 'File with the audit policy (default: no request is recorded)', value: 'FILE' }),
  auditLogPath: text({ summary: 'File to write audit events to; - for standard output', value: 'FILE' }),
  auditLogMaxage: integer({ summary: 'Number of days to keep old audit logs, 0 for all', default: 0, min: 0 }),
  auditLogMaxbackup: integer({ summary: 'Number of old audit logs to keep, 0 for all', default: 0, min: 0 }),
  auditLogMaxsize: integer({ summary: 'Size in MB at which a new audit log is started', default: 100, min: 1 }),
  webhookService: repeated({
    summary: 'Address of a service that webhooks refer to, as NAMESPACE/NAME[:PORT]=HOST:PORT',
    value: 'MAPPING',
  }),
} as const

export interface AdmissionValues {
  readonly enableAdmissionPlugins: readonly string[]
  readonly disableAdmissionPlugins: readonly string[]
  readonly admissionControlConfigFile: string | undefined
  readonly webhookService: readonly string[]
  readonly auditPolicyFile: string | undefined
  readonly auditLogPath: string | undefined
  readonly auditLogMaxage: number
  readonly auditLogMaxbackup: number
  readonly auditLogMaxsize: number
}

const listed = (values: readonly string[]): readonly string[] =>
  values.flatMap((value) => value.split(',')).filter((name) => name !== '')

/** Options that pass the checks of kube-apiserver (apiserver, pkg/server/options, AdmissionOptions.Validate). */
export async function admissionOf(
  values: AdmissionValues,
  files: Files,
  cwd: string,
): Promise<Pick<ApiProcessOptions, 'admission' | 'webhookServices' | 'audit'>> {
  const enabled = listed(values.enableAdmissionPlugins)
  const disabled = listed(values.disableAdmissionPlugins)
  for (const [flag, names] of [
    ['enable-admission-plugins', enabled],
    ['disable-admission-plugins', disabled],
  ] as const) {
    const unknown = names.find((name) => !plugins.includes(name))
    if (unknown !== undefined) throw wrongQuestion(`${flag} plugin ${JSON.stringify(unknown)} is unknown`)
  }
  const both = enabled.filter((name) => disabled.includes(name))
  if (both.length > 0) {
    throw wrongQuestion(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  }
  const isSecured = enabled.includes('PodSecurity')
  const podSecurity = isSecured ? await configured(values.admissionControlConfigFile, files, cwd) : undefined
  return {
    admission: {
      disabled,
      restrictsNodes: enabled.includes('NodeRestriction'),
      ...(podSecurity === undefined ? {} : { podSecurity }),
    },
    webhookServices: new Map(values.webhookService.map(serviceAddress)),
    ...(await auditOf(values, files, cwd)),
  }
}

/** As in kube-apiserver, a policy without a log is valid and records nothing. */
async function auditOf(values: AdmissionValues, files: Files, cwd: string): Promise<Pick<ApiProcessOptions, 'audit'>> {
  const { auditPolicyFile: policyFile, auditLogPath: path } = values
  if (policyFile === undefined || path === undefined) return {}
  const read = readAuditPolicy(await document(policyFile, files, cwd))
  if (typeof read === 'string') throw wrongQuestion(`${policyFile}: ${read}`)
  const log = {
    path: path === '-' ? path : resolve(cwd, path),
    maxSizeBytes: values.auditLogMaxsize * 1024 * 1024,
    maxBackups: values.auditLogMaxbackup,
    maxAgeDays: values.auditLogMaxage,
  }
  return { audit: { policy: read, log } }
}

async function document(file: string, files: Files, cwd: string): Promise<unknown> {
  const path = resolve(cwd, file)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
  return parseDocuments(await files.readText(path), file)[0]?.value
}

async function configured(file: string | undefined, files: Files, cwd: string): Promise<PodSecuritySettings> {
  if (file === undefined) return defaultPodSecurity
  const read = readPodSecurity(await document(file, files, cwd))
  if (typeof read === 'string') throw wrongQuestion(`${file}: ${read}`)
  return read
}

/** `default/hooks` and `127.0.0.1:9443` of `default/hooks=127.0.0.1:9443`. */
export function serviceAddress(given: string): [string, string] {
  const match = /^([^/=]+\/[^/=:]+(?::\d+)?)=(.+:\d+)$/.exec(given)
  if (match === null) {
    const form = 'expected NAMESPACE/NAME=HOST:PORT, for example default/hooks=127.0.0.1:9443'
    throw wrongQuestion(`--webhook-service ${JSON.stringify(given)} is not a mapping; ${form}`)
  }
  return [match[1] as string, match[2] as string]
}
