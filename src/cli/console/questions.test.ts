import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { createStore } from '../../store/memory-store.ts'
import type { QuestionStep } from '../../wire/console-questions.ts'
import { askQuestions, commandText, questionForms, scenarioText } from './questions.ts'

const node = (name: string) => ({
  resource: 'nodes',
  key: name,
  object: {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, labels: { pool: 'web' } },
  } as unknown as KubeObject,
})
const found = {
  kubernetes: {},
  cluster: { store: createStore({ initial: { revision: 1, objects: [node('a1'), node('a2')] } }), takenAtMs: 0 },
  usage: new Map(),
  manifests: [],
  notes: [],
  without: [],
}

const step = (question: string, args: readonly string[], options: QuestionStep['options'] = {}): QuestionStep => ({
  question,
  args,
  options,
})
const ask = (...steps: readonly QuestionStep[]) => askQuestions({ steps, seconds: 600 }, found)

describe('questions of the console', () => {
  it('questions of the console have the arguments and options of their commands, without those that all commands share', () => {
    const drain = questionForms().find(({ name }) => name === 'drain')
    expect(drain?.args.map(({ name }) => name)).toEqual(['NODE'])
    expect(drain?.options.map(({ flag }) => flag)).toEqual(
      expect.arrayContaining(['--selector', '--parallel', '--force']),
    )
    expect(drain?.options.map(({ flag }) => flag)).not.toContain('--from')
    const fail = questionForms().find(({ name }) => name === 'fail')
    expect(fail?.options.map(({ flag }) => flag)).toEqual(['--recover-after', '--rack-label'])
  })

  it('questions of the console are combined in order of time', async () => {
    const question = await ask({ ...step('drain', ['a2']), after: 60 }, step('taint', ['a1', 'x=y:NoExecute']))
    expect(question.title).toBe('drain a2, then taint a1 with x=y:NoExecute')
    expect(question.steps.map(({ atMs, step: { kind } }) => `${atMs} ${kind}`)).toEqual(['0 taint', '60000 drain'])
  })

  it('questions of the console read manifests from the request and nothing from the machine', async () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: default }\nspec: { containers: [{ name: c, image: i }] }\n'
    const question = await ask(step('apply', [], { filename: [pod] }))
    expect(question.title).toBe('apply Pod/p')
    await expect(ask(step('scale', ['deployment/web'], { replicas: '3' }))).rejects.toThrow('not found')
  })

  it.each([
    [step('drian', []), 'unknown question "drian"'],
    [step('drain', ['a9']), 'a9'],
    [step('drain', ['a1'], { constructor: 'x' } as never), 'unknown option "constructor"'],
    [step('add-node', []), '--like is required'],
    [step('add-node', [], { like: 'a1', count: 'many' }), '--count many'],
  ])('questions of the console refuse %j with the reason', async (wrong, message) => {
    await expect(ask(wrong)).rejects.toThrow(message)
  })

  it('questions of the console are shown as the command with the same answer', () => {
    const text = (one: QuestionStep, seconds = 3600) => commandText({ steps: [one], seconds })
    expect(text(step('drain', ['a1'], { force: true }), 600)).toBe('berth whatif drain a1 --force --for 600s')
    expect(text(step('drain', [], { selector: 'pool in (a, b)' }))).toBe(
      "berth whatif drain --selector 'pool in (a, b)'",
    )
    expect(text(step('taint', ["a1'; rm", 'x:NoExecute']))).toBe("berth whatif taint 'a1'\\''; rm' x:NoExecute")
    expect(commandText({ steps: [step('cordon', ['a1']), step('drain', ['a1'])], seconds: 60 })).toBeUndefined()
  })

  it('questions of the console are shown as a scenario that can be read again', async () => {
    expect(
      await scenarioText(await ask(step('drain', ['a1']), { ...step('fail', ['node', 'a2']), after: 30 }), {
        seconds: 600,
        flags: { 'kubernetes-version': '1.36' },
      }),
    ).toBe(
      [
        'apiVersion: berth.dev/v1alpha1',
        'kind: Scenario',
        'metadata:',
        '  name: from-the-console',
        'cluster: dump.json',
        'config:',
        "  kubernetes-version: '1.36'",
        'hollow:',
        '  pack: forecast',
        'steps:',
        '- at: 0s',
        '  drain:',
        '    nodes:',
        '    - a1',
        '    oneByOne: true',
        '- at: 30s',
        '  fail:',
        '    nodes:',
        '    - a2',
        'until: 600s',
        '',
      ].join('\n'),
    )
  })
})
