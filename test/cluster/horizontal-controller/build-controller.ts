import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const cluster = resolve('test/cluster')
const name = 'k8s.io/kubernetes/pkg/controller/podautoscaler'

/** Compiles a program that asks the controller of v1.36.4, in `folder`: a copy of its package, with a clock that can be set. */
export function buildController(folder: string): string {
  for (const file of ['go.mod', 'go.sum']) cpSync(join(cluster, file), join(folder, file))
  const find = ['list', '-f', '{{.Dir}}', name]
  const source = execFileSync('go', find, { cwd: cluster, encoding: 'utf8' }).trim()
  const copy = join(folder, 'podautoscaler')
  mkdirSync(copy, { recursive: true })
  for (const file of ['horizontal.go', 'replica_calculator.go', 'rate_limiters.go']) {
    const text = readFileSync(join(source, file), 'utf8')
    writeFileSync(join(copy, file), text.replaceAll('time.Now()', 'clock()'))
  }
  cpSync(join(cluster, 'horizontal-controller/ask.go.txt'), join(copy, 'ask.go'))
  const serve = 'if err := podautoscaler.Serve(os.Stdin, os.Stdout); err != nil {\n\t\tpanic(err)\n\t}'
  const imports = 'import (\n\t"os"\n\n\t"berth.dev/test/cluster/podautoscaler"\n)'
  writeFileSync(join(folder, 'main.go'), `package main\n\n${imports}\n\nfunc main() {\n\t${serve}\n}\n`)
  const program = join(folder, 'controller')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: folder, stdio: 'inherit' })
  return program
}
