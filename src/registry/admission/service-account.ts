import type { KubeObject } from '../../api/objects/meta.ts'
import type { Container, Pod, PodSpec, Volume } from '../../api/objects/pod.ts'
import type { ServiceAccount } from '../../api/objects/service-account.ts'
import { extended } from '../../base/extended.ts'
import type { WriteContext } from '../kinds/kind.ts'
import { tokenProjection } from './token-projection.ts'

const defaultAccount = 'default'
const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const enforcesAnnotation = 'kubernetes.io/enforce-mountable-secrets'

type Mount = NonNullable<Container['volumeMounts']>[number]

/**
 * The admission plugin ServiceAccount for a new pod: sets its account, the volume with the token, and the pull secrets
 * of the account. A string is the reason of a rejection.
 */
export function withServiceAccount(context: WriteContext, pod: Pod): Pod | string {
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return mirrorProblem(pod.spec) ?? pod
  const namespace = pod.metadata.namespace ?? ''
  const name = pod.spec.serviceAccountName || defaultAccount
  const account = accountOf(context, namespace, name)
  if (account === undefined) {
    return `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`
  }
  const { spec: sent } = pod
  const spec = admittedSpec(sent, account, name, context)
  return secretProblem(account, spec) ?? (spec === sent ? pod : { ...pod, spec })
}

/** Pods with the same spec share one admitted spec, so that results cached for it apply to all of them. */
const admitted = new WeakMap<PodSpec, { readonly account: ServiceAccount; readonly spec: PodSpec }>()

function admittedSpec(sent: PodSpec, account: ServiceAccount, name: string, context: WriteContext): PodSpec {
  const known = admitted.get(sent)
  if (known?.account === account) return known.spec
  const isMounted = sent.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
  let spec: PodSpec = isMounted ? withToken(sent, context) : sent
  if (spec.serviceAccountName !== name) spec = extended(spec, { serviceAccountName: name, serviceAccount: name })
  const pullSecrets = account.imagePullSecrets ?? []
  if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
    spec = { ...spec, imagePullSecrets: pullSecrets.map(({ name: secret = '' }) => ({ name: secret })) }
  }
  admitted.set(sent, { account, spec })
  return spec
}

/** The check of ephemeral containers that are added to a pod. */
export function ephemeralSecretProblem(context: WriteContext, pod: Pod): string | undefined {
  const namespace = pod.metadata.namespace ?? ''
  const name = pod.spec.serviceAccountName ?? ''
  if (name === '') return `no service account specified for pod ${namespace}/${pod.metadata.name}`
  const account = accountOf(context, namespace, name)
  if (account === undefined) {
    return `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`
  }
  if (!isEnforced(account)) return undefined
  const ephemeral = (pod.spec['ephemeralContainers' as keyof PodSpec] ?? []) as readonly Container[]
  return containerSecretProblem(ephemeral, 'ephemeral container', account)
}

const unmade: ServiceAccount = { metadata: { name: defaultAccount } } as ServiceAccount

/** If the serviceaccount controller runs, it will create the account `default` shortly. Upstream waits for it. */
function accountOf(context: WriteContext, namespace: string, name: string): ServiceAccount | undefined {
  const found = context.store.get('serviceaccounts', `${namespace}/${name}`) as ServiceAccount | undefined
  if (found !== undefined || name !== defaultAccount) return found
  return context.serviceAccounts === 'default-follows' ? unmade : undefined
}

function withToken(spec: PodSpec, context: WriteContext): PodSpec {
  const present = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))?.name
  const name = present ?? volumePrefix + context.random.stream('token-volume-name').alphanumeric(5)
  const mount = { name, readOnly: true, mountPath } as Mount
  const needs = ({ volumeMounts = [] }: Container) => !volumeMounts.some((one) => one.mountPath === mountPath)
  const onlyMount = [mount]
  const mountsOf = ({ volumeMounts }: Container) => (volumeMounts === undefined ? onlyMount : [...volumeMounts, mount])
  const mounted = (one: Container): Container => (needs(one) ? extended(one, { volumeMounts: mountsOf(one) }) : one)
  const { initContainers } = spec
  // Go writes absent containers of a pod as null here. Validation rejects such a pod later.
  const containers = (spec.containers as PodSpec['containers'] | null | undefined) ?? []
  if (!containers.some(needs) && initContainers?.some(needs) !== true) return spec
  const volume = { name, projected: tokenProjection } as unknown as Volume
  const volumes = present === undefined ? [...(spec.volumes ?? []), volume] : spec.volumes
  const mountedSpec = { ...spec, containers: containers.map(mounted) }
  if (initContainers !== undefined) mountedSpec.initContainers = initContainers.map(mounted)
  return volumes === undefined ? mountedSpec : extended(mountedSpec, { volumes })
}

function mirrorProblem(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts'
  if (referencesSecret(spec)) return 'a mirror pod may not reference secrets'
  const sources = (spec.volumes ?? []).flatMap((one) => (one['projected'] as Projected | undefined)?.sources ?? [])
  if (sources.some((source) => source.serviceAccountToken !== undefined)) {
    return 'a mirror pod may not use ServiceAccountToken volume projections'
  }
  return undefined
}

interface Projected {
  readonly sources?: readonly { readonly secret?: { readonly name?: string }; readonly serviceAccountToken?: unknown }[]
}

interface SecretReference {
  readonly name?: string
}

type SecretEnvironment = {
  readonly env?: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef?: SecretReference } }[]
  readonly envFrom?: readonly { readonly secretRef?: SecretReference }[]
}

const containersOf = (spec: PodSpec): readonly Container[] => [...(spec.initContainers ?? []), ...spec.containers]

function referencesSecret(spec: PodSpec): boolean {
  if ((spec.imagePullSecrets ?? []).length > 0) return true
  const inVolume = (volume: Volume) =>
    volume['secret'] !== undefined ||
    ((volume['projected'] as Projected | undefined)?.sources ?? []).some(({ secret }) => secret !== undefined)
  if ((spec.volumes ?? []).some(inVolume)) return true
  return containersOf(spec).some((container) => {
    const { env = [], envFrom = [] } = container as unknown as SecretEnvironment
    return (
      env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) ||
      envFrom.some(({ secretRef }) => secretRef !== undefined)
    )
  })
}

/** Go's strconv.ParseBool. */
function isEnforced({ metadata }: KubeObject): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(metadata.annotations?.[enforcesAnnotation] ?? '')
}

/** Accounts with the annotation enforce-mountable-secrets allow only the secrets that they list. */
function secretProblem(account: ServiceAccount, spec: PodSpec): string | undefined {
  if (!isEnforced(account)) return undefined
  const owner = account.metadata.name
  for (const volume of spec.volumes ?? []) {
    const name = (volume['secret'] as { readonly secretName?: string } | undefined)?.secretName
    if (name === undefined || allows(account, name)) continue
    return `volume with secret.secretName="${name}" is not allowed because service account ${owner} does not reference that secret`
  }
  const inContainer =
    containerSecretProblem(spec.initContainers ?? [], 'init container', account) ??
    containerSecretProblem(spec.containers, 'container', account)
  if (inContainer !== undefined) return inContainer
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name))
  const index = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pullable.has(name))
  if (index < 0) return undefined
  const name = spec.imagePullSecrets?.[index]?.name ?? ''
  return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${owner} does not reference that imagePullSecret`
}

const allows = ({ secrets = [] }: ServiceAccount, name: string) => secrets.some((one) => one.name === name)

function containerSecretProblem(
  containers: readonly Container[],
  what: string,
  account: ServiceAccount,
): string | undefined {
  const owner = account.metadata.name
  const why = (name: string) =>
    `referencing secret.secretName="${name}" is not allowed because service account ${owner} does not reference that secret`
  for (const container of containers) {
    const { env = [], envFrom = [] } = container as unknown as SecretEnvironment
    for (const { name, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef
      if (secret === undefined || allows(account, secret.name ?? '')) continue
      return `${what} ${container.name} with envVar ${name} ${why(secret.name ?? '')}`
    }
    for (const { secretRef } of envFrom) {
      if (secretRef === undefined || allows(account, secretRef.name ?? '')) continue
      return `${what} ${container.name} with envFrom ${why(secretRef.name ?? '')}`
    }
  }
  return undefined
}
