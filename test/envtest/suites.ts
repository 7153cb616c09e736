import type { GoModule } from './go-module.ts'

/** A project whose tests run with the executables of `berth envtest`. */
export interface EnvtestSuite extends GoModule {
  /** Its packages that start a control plane, by their path. */
  readonly packages: readonly string[]
  /** A file that its own build makes with kustomize, and the folder that it is made from. */
  readonly kustomized?: { readonly from: string; readonly to: string }
  /** Folders of CRDs that its own build copies from the modules it needs. */
  readonly copied?: readonly { readonly module: string; readonly from: string; readonly to: string }[]
  /** The controllers beside the API server; none is envtest exactly. Absent: those that run by default. */
  readonly controllers?: string
}

export const suites: readonly EnvtestSuite[] = [
  {
    name: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.24.1',
    packages: [
      'pkg/builder',
      'pkg/cache',
      'pkg/client',
      'pkg/client/apiutil',
      'pkg/cluster',
      'pkg/controller',
      'pkg/controller/controllerutil',
      'pkg/envtest',
      'pkg/handler',
      'pkg/internal/controller',
      'pkg/internal/recorder',
      'pkg/internal/testing/controlplane',
      'pkg/manager',
      'pkg/manager/internal/integration',
      'pkg/metrics/filters',
      'pkg/reconcile',
      'pkg/source',
      'pkg/webhook',
    ],
  },
  {
    name: 'jobset',
    module: 'sigs.k8s.io/jobset',
    version: 'v0.10.1',
    // Its specs remove the finalizers of deleted Jobs themselves.
    controllers: '',
    packages: ['test/integration/controller', 'test/integration/webhook'],
  },
  {
    name: 'karpenter',
    module: 'sigs.k8s.io/karpenter',
    version: 'v1.14.1',
    controllers: '',
    packages: [
      'pkg/apis/v1',
      'pkg/apis/v1alpha1',
      'pkg/controllers/node/health',
      'pkg/controllers/node/hydration',
      'pkg/controllers/node/termination',
      'pkg/controllers/nodeclaim/consistency',
      'pkg/controllers/nodeclaim/expiration',
      'pkg/controllers/nodeclaim/garbagecollection',
      'pkg/controllers/nodeclaim/lifecycle',
      'pkg/controllers/nodepool/counter',
      'pkg/controllers/nodepool/readiness',
      'pkg/controllers/nodepool/validation',
      'pkg/controllers/static/provisioning',
      'pkg/utils/node',
      'pkg/utils/pdb',
      'pkg/utils/pod',
    ],
  },
  {
    name: 'kueue',
    module: 'sigs.k8s.io/kueue',
    version: 'v0.19.2',
    controllers: '',
    kustomized: { from: 'config/components/crd', to: 'config/components/crd/_output/crds-with-webhooks.yaml' },
    copied: [{ module: 'sigs.k8s.io/jobset', from: 'config/components/crd/bases', to: 'dep-crds/jobset-operator' }],
    // Those that need CRDs of no other project than JobSet.
    packages: [
      'controller/concurrentadmission',
      'controller/core',
      'controller/dra',
      'controller/failurerecovery',
      'controller/jobframework/setup',
      'controller/jobs/job',
      'controller/jobs/jobset',
      'controller/jobs/pod',
      'controller/jobs/statefulset',
      'conversion',
      'scheduler',
      'scheduler/delayedadmission',
      'scheduler/excluderesources',
      'scheduler/fairsharing',
      'scheduler/inadmissible',
      'scheduler/podsready',
      'scheduler/quotacheckstrategy',
      'scheduler/resourcetransformations',
      'webhook/core',
    ].map((name) => `test/integration/singlecluster/${name}`),
  },
]
