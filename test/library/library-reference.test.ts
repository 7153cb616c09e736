import * as assert from 'node:assert/strict'
import * as client from '@kubernetes/client-node'
import { describe, expect, test } from 'vitest'
import * as kubeberth from '../../src/index.ts'
import * as matchers from '../../src/matchers/matchers.ts'
import { libraryExamples } from './library-examples.ts'
import { libraryReference } from './library-reference.ts'

const modules: Readonly<Record<string, object>> = {
  'node:assert/strict': { default: assert },
  '@kubernetes/client-node': client,
  kubeberth,
  'kubeberth/matchers': matchers,
}

/** The example as a function: its imports become variables. */
function runnable(code: string): (modules: object) => Promise<void> {
  const body = code
    .replaceAll(/^import \{ (.+) \} from '(.+)'$/gm, "const { $1 } = modules['$2']")
    .replaceAll(/^import (\w+) from '(.+)'$/gm, "const { default: $1 } = modules['$2']")
  if (/^import /m.test(body)) throw new Error('an import of the example is not known')
  const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (modules: object) => Promise<void>
  return new AsyncFunction('modules', body)
}

describe('docs/reference/library.md', () => {
  test('docs/reference/library.md is generated from the types', async () => {
    await expect(libraryReference()).toMatchFileSnapshot('../../docs/reference/library.md')
  })

  test.each(libraryExamples)('has an example that runs: $title', async ({ title, code }) => {
    expect(libraryReference()).toContain(`### Example: ${title}`)
    await runnable(code)(modules)
  })
})
