import { describe, expect, it } from 'vitest'
import { command as whatif } from '../../src/cli/commands/whatif.ts'
import { questionForms } from '../../src/cli/console/questions.ts'
import { textForms } from '../../src/cli/console/text-questions.ts'
import type { QuestionForm } from '../../src/wire/console-questions.ts'
import { ClusterModel } from './cluster.ts'
import { combinationProblem, fieldsOf, nodesOf, problemOf, stepOf } from './questions.ts'
import { nodeRow } from './rows.fixture.ts'

const forms = [...questionForms(), ...textForms()]
const form = (name: string) => forms.find((one) => one.name === name) as QuestionForm
const cluster = new ClusterModel()
cluster.addLabels([[1, { pool: 'web' }]])
cluster.putNode(nodeRow('a1', { labels: 1 }))
cluster.putNode(nodeRow('a2'))

const draft = (question: string, values: Readonly<Record<string, string>>, after = '') => ({ question, values, after })

describe('the form of a question', () => {
  it('has a form for every question of the command line', () => {
    const commands = whatif.commands.map(({ name }) => name)
    expect(forms.map(({ name }) => name).toSorted()).toEqual([...commands, 'fail --each'].toSorted())
    for (const one of forms)
      expect(fieldsOf(one).length, one.name).toBeGreaterThanOrEqual(one.name === 'consolidate' ? 0 : 1)
  })

  it('offers the alternatives of an option, and sends none unless one is chosen', () => {
    const timeout = fieldsOf(form('upgrade')).find(({ key }) => key === 'onTimeout')
    expect(timeout).toMatchObject({ input: 'choice', choices: ['', 'fail', 'force', 'skip'] })
    expect(stepOf(form('upgrade'), draft('upgrade', { a0: 'a1' })).options).toEqual({})
    expect(stepOf(form('upgrade'), draft('upgrade', { a0: 'a1', onTimeout: 'skip' })).options).toEqual({
      onTimeout: 'skip',
    })
  })

  it('asks for the content of the files of a comparison', () => {
    const flags = { a0: 'node-eviction-rate: 1', a1: '{}' }
    expect(fieldsOf(form('config')).map(({ input, isRequired }) => `${input} ${isRequired}`)).toEqual([
      'file true',
      'file true',
    ])
    expect(stepOf(form('config'), draft('config', flags)).args).toEqual(['node-eviction-rate: 1', '{}'])
    expect(problemOf(form('config'), draft('config', { a0: 'x: 1' }), cluster)).toBe('B is required.')
  })

  it.each([
    [['drain', 'cordon'], undefined],
    [['consolidate'], undefined],
    [['config', 'drain'], undefined],
    [['drain', 'consolidate'], 'consolidate cannot be combined with other questions: remove the others.'],
    [['config', 'upgrade-control-plane'], 'config and upgrade-control-plane cannot be combined.'],
  ])('questions can be combined if they have a common answer: %j', (questions, problem) => {
    expect(
      combinationProblem(
        forms,
        questions.map((one) => draft(one, {})),
      ),
    ).toBe(problem)
  })

  it('asks for nodes and the taint in two fields', () => {
    expect(fieldsOf(form('taint')).map(({ key, title, input }) => `${key} ${title} ${input}`)).toEqual([
      'a0 Node nodes',
      'a1 Taint text',
    ])
  })

  it('omits optional words, and takes nodes for an upgrade of nodes', () => {
    expect(fieldsOf(form('upgrade'))[0]).toMatchObject({ key: 'a0', input: 'nodes', isRequired: false })
    expect(stepOf(form('upgrade'), draft('upgrade', { a0: 'pool=web' }))).toMatchObject({
      args: [],
      options: { selector: 'pool=web' },
    })
  })

  it.each([
    ['drain', { a0: 'a1, a2', force: 'true' }, { question: 'drain', args: ['a1', 'a2'], options: { force: true } }],
    ['drain', { a0: 'pool=web' }, { question: 'drain', args: [], options: { selector: 'pool=web' } }],
    ['taint', { a0: 'a1', a1: 'x:NoExecute' }, { question: 'taint', args: ['a1', 'x:NoExecute'], options: {} }],
    ['fail', { a0: 'zone', a1: 'zone-a' }, { question: 'fail', args: ['zone', 'zone-a'], options: {} }],
    [
      'scale',
      { a0: 'deployment/web', replicas: '3' },
      { question: 'scale', args: ['deployment/web'], options: { replicas: '3' } },
    ],
    ['apply', { filename: 'kind: Pod' }, { question: 'apply', args: [], options: { filename: ['kind: Pod'] } }],
  ])('%s with %j asks %j', (name, values, step) => {
    expect(stepOf(form(name), draft(name, values as Readonly<Record<string, string>>))).toEqual(step)
  })

  it('reports missing and unknown values of a question', () => {
    expect(problemOf(form('drain'), draft('drain', {}), cluster)).toBe('Enter at least one node.')
    expect(problemOf(form('drain'), draft('drain', { a0: 'a9' }), cluster)).toBe('Node a9 not found.')
    expect(problemOf(form('drain'), draft('drain', { a0: 'pool=db' }), cluster)).toBe('No node matches these labels.')
    expect(problemOf(form('drain'), draft('drain', { a0: 'pool=web' }), cluster)).toBeUndefined()
  })

  it('finds the nodes of a question', () => {
    expect(nodesOf(form('drain'), draft('drain', { a0: 'pool=web' }), cluster)).toEqual(['a1'])
    expect(nodesOf(form('fail'), draft('fail', { a0: 'node', a1: 'a2' }), cluster)).toEqual(['a2'])
    expect(nodesOf(form('scale'), draft('scale', { a0: 'deployment/web' }), cluster)).toEqual([])
  })

  it('asks for the content of files, not for their names', () => {
    const [manifests] = fieldsOf(form('apply'))
    expect(manifests).toMatchObject({ title: 'Manifests', summary: 'Manifests in YAML or JSON', input: 'file' })
    expect(problemOf(form('apply'), draft('apply', {}), cluster)).toBe('Manifests are required.')
  })
})
