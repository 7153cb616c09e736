/** The Deployment `web` of pods with this spec, in YAML. */
export const webDeployment = (replicas: number, podSpec: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: ${podSpec}
`

/** A kind of the group example.com whose objects may have any field. */
export const customKind = (kind: string, plural: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`

/** A pod of one container that requests this amount of CPU. */
export const requesting = (cpu: string): string =>
  `{ containers: [{ name: web, image: nginx, resources: { requests: { cpu: ${cpu} } } }] }`
