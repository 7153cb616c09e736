// Extracts the field descriptions of `kubectl explain` at build time from the model files of the Kubernetes client for
// JavaScript. The files are read as text and never imported; the result is not committed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Writes `{ "V1PodSpec": ["description", { "field": "description" }] }`, gzipped. */
export function buildDescriptions(root, file) {
  const folder = join(root, 'node_modules/kubernetes-models/dist/gen/models')
  const models = {}
  for (const name of readdirSync(folder).sort()) {
    if (
      !/^(Core|Events|Discovery|Storage|Flowcontrol|Authentication|Apiextensions|Admissionregistration|Rbac)?V[12][A-Z]\w*\.d\.ts$/.test(
        name,
      )
    )
      continue
    const model = readModel(readFileSync(join(folder, name), 'utf8'))
    if (model !== undefined) models[name.replace('.d.ts', '')] = model
  }
  writeFileSync(file, gzipSync(JSON.stringify(models), { level: 9 }))
}

function readModel(text) {
  const start = text.search(/(\/\*\*\n(?:\*[^\n]*\n)*\*\/\n)?export declare class /)
  if (start < 0) return undefined
  const body = text.slice(start)
  const fields = {}
  const pattern = /(?:\/\*\*\n((?:\s*\*(?!\/)[^\n]*\n)*)\s*\*\/\n)?\s*'([^']+)'\??:/g
  for (const [, comment, field] of body.slice(body.indexOf('{')).matchAll(pattern)) {
    if (comment !== undefined) fields[field] = plain(comment)
  }
  const head = /^\/\*\*\n((?:\*[^\n]*\n)*)\*\//.exec(body)
  return [head === null ? '' : plain(head[1].replace(/\*\/[\s\S]*$/, '')), fields]
}

function plain(comment) {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, ''))
    .join('\n')
    .trim()
    .replace(/\\(["'`])/g, '$1')
}
