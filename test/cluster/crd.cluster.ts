import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { clusterCidrDefinition } from '../../src/registry/custom/cluster-cidr-definition.ts'
import { stories, tables } from './custom-stories.ts'
import { costly, definitions, ruleDefinition, rules } from './definitions.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'
import { type Asker, askerOf, comparable, shownReply } from './two-servers.ts'

const reason = missing(['kube-apiserver'])
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** kube-apiserver serves a definition, and changes to it, shortly after it has accepted it. */
const settled = () => new Promise((next) => setTimeout(next, 3500))

describe.skipIf(reason !== undefined)(
  `custom resources, beside kube-apiserver${reason === undefined ? '' : `: ${reason}`}`,
  () => {
    let real: RealCluster
    let api: ApiProcess
    let ours: Asker & { close(): void }
    let theirs: Asker & { close(): void }

    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster()
      api = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
      })
      ours = askerOf(api.kubeconfig)
      theirs = askerOf(real.kubeconfig)
    })

    afterAll(async () => {
      ours?.close()
      theirs?.close()
      await api?.close()
      await real?.close()
    })

    const judged = async (definition: unknown) => {
      const replies = await Promise.all([ours, theirs].map((ask) => ask('POST', `${crds}?dryRun=All`, definition)))
      return replies.map(({ code, body }) => [code, comparable(body.message ?? 'taken')])
    }

    it.each(Object.entries(definitions))(
      '%s: both API servers give the same answer to the definition',
      async (_, definition) => {
        const [mine, upstream] = await judged(definition)
        expect(mine).toEqual(upstream)
      },
    )

    it.each(rules.map((rule) => [JSON.stringify(rule), rule] as const))(
      'both API servers give the same answer to the rule %s',
      async (_, rule) => {
        const [mine, upstream] = await judged(ruleDefinition(rule))
        expect(mine).toEqual(upstream)
      },
    )

    it.each(Object.entries(costly))('%s: both API servers estimate the same cost of rules', async (_, definition) => {
      const [mine, upstream] = await judged(definition)
      expect(mine).toEqual(upstream)
    })

    it('kube-apiserver accepts the definition that berth ships', async () => {
      expect(await judged(clusterCidrDefinition)).toEqual([
        [201, 'taken'],
        [201, 'taken'],
      ])
    })

    it.each(Object.entries(stories))(
      '%s: both API servers give the same answer to every request',
      async (name, steps) => {
        for (const [method, path, body, type] of steps) {
          const [mine, upstream] = await Promise.all([ours, theirs].map((ask) => ask(method, path, body, type)))
          if (path.startsWith(crds)) await settled()
          expect(shownReply(mine as never), `${method} ${path} ${JSON.stringify(body)}`).toEqual(
            shownReply(upstream as never),
          )
        }
        const [mine, upstream] = await Promise.all([ours, theirs].map((ask) => printed(ask, tables[name] ?? '')))
        expect(mine).toEqual(upstream)
      },
    )

    /** The columns and cells of `kubectl get`, ages apart. */
    const printed = async (ask: Asker, path: string) => {
      const { body } = await ask('GET', path, undefined, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io')
      const age = body.columnDefinitions.findIndex(({ name }: { readonly name: string }) => name === 'Age')
      return {
        // Upstream has its own descriptions of the standard columns.
        columns: body.columnDefinitions.map(({ description: _, ...rest }: Readonly<Record<string, unknown>>) => rest),
        cells: body.rows.map(({ cells }: { readonly cells: readonly unknown[] }) => cells.filter((_, i) => i !== age)),
      }
    }
  },
)
