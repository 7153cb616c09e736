// `import 'kubeberth/vitest'` adds the matchers to vitest.
import { expect } from 'vitest'
import { type ClusterMatchers, clusterMatchers } from './matchers.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration must equal that of vitest
  interface Matchers<T = any> extends ClusterMatchers<T> {}
}

expect.extend(clusterMatchers)
