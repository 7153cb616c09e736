import type { KubernetesObjectApi } from '@kubernetes/client-node'

/** The environment of the operator's tests: virtual time, or an API server. */
export interface Environment {
  readonly objects: Pick<KubernetesObjectApi, 'create' | 'read' | 'list' | 'patch' | 'delete'>
  now(): number
  /** Advances the clock of the operator. Resolves when the operator has no more work at the new time. */
  advance(hours: number): Promise<void>
  /** Resolves when the operator has seen all changes and has no more work at this time. */
  settle(): Promise<void>
  close(): Promise<void>
}

export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rotations.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Rotation', listKind: 'RotationList', plural: 'rotations', singular: 'rotation' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['everyHours'],
                properties: { everyHours: { type: 'integer', minimum: 1 } },
              },
              status: {
                type: 'object',
                properties: {
                  rotations: { type: 'integer' },
                  lastRotatedAt: { type: 'string', format: 'date-time' },
                },
              },
            },
          },
        },
      },
    ],
  },
}
