import type { ConfigMap } from '../../api/objects/cluster.ts'

export const rootCertificateName = 'kube-root-ca.crt'
const descriptionAnnotation = 'kubernetes.io/description'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.'

/** The ConfigMap with the certificate authority of the cluster. Undefined: it is up to date. */
export function decideRootCertificate(
  present: ConfigMap | undefined,
  namespace: string,
  rootCa: string,
): ConfigMap | undefined {
  const data = { 'ca.crt': rootCa }
  if (present === undefined) {
    const annotations = { [descriptionAnnotation]: description }
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: rootCertificateName, namespace, annotations },
      data,
    }
  }
  const { metadata } = present
  const isCurrent = Object.keys(present.data ?? {}).length === 1 && present.data?.['ca.crt'] === rootCa
  if (isCurrent && (metadata.annotations?.[descriptionAnnotation] ?? '') !== '') return undefined
  const annotations = { ...metadata.annotations, [descriptionAnnotation]: description }
  return { ...present, metadata: { ...metadata, annotations }, data }
}
