// `import 'kubeberth/jest'` adds the matchers to the global `expect` of jest.
import { type ClusterMatchers, clusterMatchers } from './matchers.ts'

declare global {
  namespace jest {
    interface Matchers<R> extends ClusterMatchers<R> {}
  }
}

const { expect } = globalThis as { readonly expect?: { extend(matchers: object): void } }
if (expect === undefined)
  throw new Error(
    "kubeberth/jest: there is no global expect; use expect.extend(clusterMatchers) of 'kubeberth/matchers'",
  )
expect.extend(clusterMatchers)
