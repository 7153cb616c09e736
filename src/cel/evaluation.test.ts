import { describe, expect, test } from 'vitest'
import { type CelType, listOf, mapOf, simple } from './cel-type.ts'
import { evaluate } from './evaluator.ts'
import { formatIssues } from './expression.ts'
import { compileExpression } from './program.ts'
import { ListValue, MapValue, type Value } from './value.ts'

const types = new Map<string, CelType>([
  ['n', simple('int')],
  ['s', simple('string')],
  ['any', simple('dyn')],
  ['words', listOf(simple('string'))],
  ['labels', mapOf(simple('string'), simple('string'))],
])
const values = new Map<string, Value>([
  ['n', 7n],
  ['s', 'héllo'],
  ['any', '12'],
  ['words', new ListValue(['b', 'a', 'c'])],
  ['labels', MapValue.of([['app', 'web'], ['tier', '']])], // biome-ignore format: one line
])

/** The value of an expression, or its error. */
function outcome(source: string): unknown {
  const compiled = compileExpression(source, types)
  if (!compiled.ok) return compiled.message.split('\n')[0]
  const result = evaluate(compiled.program, values, 1_000_000)
  return result.ok ? result.value : result.error.message
}

describe('expressions that are true', () => {
  test.each([
    // Numbers
    'n + 3 == 10 && n * 2 == 14 && n - 8 == -1 && -n == -7',
    '7 / 2 == 3 && -7 / 2 == -3 && 7 % 4 == 3 && -7 % 4 == -3',
    '7.0 / 2.0 == 3.5 && 1e3 == 1000.0 && .5 == 0.5',
    '0x1F == 31 && 3u + 4u == 7u && 5u % 3u == 2u',
    '1 < 2.5 && 2u >= 1 && 1.0 < 2u',
    '-9223372036854775808 < 0',
    'int(3.9) == 3 && int("-12") == -12 && int(3u) == 3 && double("1.5") == 1.5 && uint(7) == 7u',
    // Text
    '"a" + \'b\' == "ab" && """x"y""" == "x\\"y" && r"\\d" == "\\\\d"',
    'size(s) == 5 && s.size() == 5 && "\\u00e9" in [s.substring(1, 2)]',
    's.startsWith("hé") && s.endsWith("lo") && s.contains("ll") && s.matches("^h.l+o$")',
    '"a,b,c".split(",") == ["a","b","c"] && "a,b,c".split(",", 2) == ["a","b,c"] && ["x","y"].join("-") == "x-y"',
    '"hello".replace("l", "L") == "heLLo" && "hello".replace("l", "L", 1) == "heLlo" && "ab".replace("", "-") == "-a-b-"',
    '"hello".indexOf("l") == 2 && "hello".lastIndexOf("l") == 3 && "hello".charAt(4) == "o" && "AbC".lowerAscii() == "abc"',
    '"  x ".trim() == "x" && strings.quote("a\\"b") == "\\"a\\\\\\"b\\""',
    '"%s has %d of %.1f: %x".format(["a", dyn(3), 2.0, 255]) == "a has 3 of 2.0: ff"',
    '"abc 123 def 45".find("[0-9]+") == "123" && "abc 123 def 45".findAll("[0-9]+") == ["123", "45"]',
    '"abc 123 def 45".findAll("[0-9]+", 1) == ["123"]',
    'bytes("é") == b"\\xc3\\xa9" && string(b"abc") == "abc" && size(b"\\x00\\x01") == 2',
    // Logic: one side may determine the result
    'true || 1 / 0 > 1',
    '1 / 0 > 1 || true',
    '!(false && 1 / 0 > 1) && !(1 / 0 > 1 && false)',
    'n > 5 ? s == "héllo" : false',
    // Lists and maps
    '[1, 2, 3][1] == 2 && 2 in [1, 2] && !(5 in [1]) && size([]) == 0 && [1] + [2] == [1, 2]',
    '{"a": 1}["a"] == 1 && {"a": 1}.a == 1 && "a" in {"a": 1} && has(labels.app) && !has(labels.none)',
    'words.all(w, size(w) == 1) && words.exists(w, w == "a") && words.exists_one(w, w == "c")',
    'words.map(w, w + "!") == ["b!", "a!", "c!"] && words.filter(w, w > "a") == ["b", "c"] && [1, 2, 3].map(i, i > 1, i * 2) == [4, 6]',
    'labels.all(k, k.size() > 2) && labels.exists(k, labels[k] == "web")',
    '[1, 2].all(i, v, v == i + 1) && labels.exists(k, v, k == "app" && v == "web") && {"a": 1}.transformMap(k, v, v + 1) == {"a": 2}',
    '[1, 2, 3].transformList(i, v, i > 0, v * 10) == [20, 30] && {"a": "b"}.transformMapEntry(k, v, {v: k}) == {"b": "a"}',
    'words.isSorted() == false && [1, 2, 2].isSorted() && [1, 2, 3].sum() == 6 && [3, 1].min() == 1 && ["a", "b"].max() == "b"',
    '[3, 1, 2].sort() == [1, 2, 3] && words.sortBy(w, w) == ["a", "b", "c"] && [1, 1, 2].distinct() == [1, 2]',
    '[[1], [2, 3]].flatten() == [1, 2, 3] && [1, 2, 3].slice(1, 3) == [2, 3] && lists.range(3) == [0, 1, 2] && [1, 2].reverse() == [2, 1]',
    'sets.contains([1, 2, 3], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2])',
    '[1, 2, 3].indexOf(2) == 1 && [1, 2, 1].lastIndexOf(1) == 2',
    // Types
    'type(any) == string && type(n) == int && type([1]) == list && type(type(1)) == type && type(null) == null_type',
    'dyn(1) == dyn(1.0) && dyn(1) != dyn("1") && dyn([1]) == dyn([1.0])',
    // Time
    'timestamp("2024-02-29T12:30:00Z").getMonth() == 1 && timestamp("2024-02-29T12:30:00Z").getDayOfMonth() == 28',
    'timestamp("2024-01-01T00:00:00Z") + duration("90m") == timestamp("2024-01-01T01:30:00Z")',
    'timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z") == duration("24h")',
    'timestamp("2024-01-01T00:30:00Z").getHours("+02:00") == 2 && duration("90s").getMinutes() == 1 && duration("1500ms") > duration("1s")',
    'string(timestamp("2024-01-01T00:00:00.5Z")) == "2024-01-01T00:00:00.5Z" && string(duration("1h30m")) == "5400s"',
    // Optionals
    'labels[?"app"].orValue("x") == "web" && labels[?"none"].orValue("x") == "x" && !labels.?none.hasValue()',
    'optional.of(3).value() == 3 && optional.none().or(optional.of(1)).value() == 1 && labels.?app.optMap(v, v + "!").value() == "web!"',
    '[?labels.?app, ?labels.?none] == ["web"] && {?"a": labels.?none} == {}',
    // Kubernetes
    'isIP("10.0.0.1") && !isIP("10.0.0.01") && ip("::1").family() == 6 && ip("127.0.0.1").isLoopback() && string(ip("fd00::0001")) == "fd00::1"',
    'isCIDR("10.0.0.0/8") && cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && cidr("10.1.2.3/8").prefixLength() == 8',
    'cidr("10.1.2.3/8").ip() == ip("10.1.2.3") && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
    'quantity("1.5Gi").isGreaterThan(quantity("1Gi")) && quantity("50k").add(20).asInteger() == 50020 && isQuantity("1Ki") && !isQuantity("1Kib")',
    'url("https://a.example:80/b?c=d").getHost() == "a.example:80" && url("https://a.example:80/").getPort() == "80" && !isURL("../b")',
    'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-rc.1").isLessThan(semver("1.0.0")) && isSemver("v1.0", true) && !isSemver("v1.0")',
    '!format.dns1123Label().validate("abc").hasValue() && format.named("dns1123Label").value().validate("A_b").hasValue()',
  ])('evaluates %s to true', (source) => {
    expect(outcome(source)).toBe(true)
  })
})

describe('expressions without a value', () => {
  test.each([
    ['9223372036854775807 + 1 > 0', 'integer overflow'],
    ['-9223372036854775808 - 1 < 0', 'integer overflow'],
    ['2u - 3u == 0u', 'unsigned integer overflow'],
    ['n / 0 == 1', 'division by zero'],
    ['n % 0 == 1', 'modulus by zero'],
    ['[1][1] == 1', 'index out of bounds: 1'],
    ['labels.none == "x"', 'no such key: none'],
    ['labels["none"] == "x"', 'no such key: none'],
    ['any > 3', 'no such overload'],
    ['int("x") == 1', "type conversion error from 'string' to 'int'"],
    ['[].max() == 1', 'max called on empty list'],
    ['s.charAt(9) == ""', 'index out of range: 9'],
    ['optional.none().value() == 1', 'optional.none() dereference'],
    ['lists.range(900).all(a, lists.range(900).all(b, a + b >= 0))', 'operation cancelled: actual cost limit exceeded'],
  ])('fails to evaluate %s: %s', (source, message) => {
    expect(outcome(source)).toBe(message)
  })
})

describe('expressions that do not compile', () => {
  test.each([
    [
      '',
      "ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ['missing == 1', "ERROR: <input>:1:1: undeclared reference to 'missing' (in container '')"],
    ['n.foo == 1', "ERROR: <input>:1:2: type 'int' does not support field selection"],
    ['n + s == 1', "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ['s.startsWith(1)', "ERROR: <input>:1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['nosuch(n)', "ERROR: <input>:1:7: undeclared reference to 'nosuch' (in container '')"],
    ['[1, "a"].size() == 2', "ERROR: <input>:1:5: expected type 'int' but found 'string'"],
    [
      'n.all(x, true)',
      "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      'n == 1 &&',
      "ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ['n == 1 n', "ERROR: <input>:1:8: Syntax error: extraneous input 'n' expecting <EOF>"],
    ['10.0.0.1', "ERROR: <input>:1:5: Syntax error: mismatched input '.0' expecting <EOF>"],
    ['n.0', "ERROR: <input>:1:2: Syntax error: extraneous input '.0' expecting <EOF>"],
    ['../up', "ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'"],
    ['n.', "ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'"],
    [
      'n == * 3',
      "ERROR: <input>:1:6: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ['namespace == "x"', 'ERROR: <input>:1:1: reserved identifier: namespace'],
    ['has(n)', 'ERROR: <input>:1:5: invalid argument to has() macro'],
    ['words.all(1, true)', 'ERROR: <input>:1:11: argument must be a simple name'],
    ['cel.bind(x, 1, x == 1)', "ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')"],
    ['n == 9223372036854775808', 'ERROR: <input>:1:6: invalid int literal'],
  ])('rejects the expression %s', (source, message) => {
    expect(outcome(source)).toBe(message)
  })

  test('reports an error of an expression with its line and a mark under the position', () => {
    const compiled = compileExpression('n == 1 &&\n  s.nope() == 2', types)
    expect(compiled).toEqual({
      ok: false,
      message: "ERROR: <input>:2:9: undeclared reference to 'nope' (in container '')\n |   s.nope() == 2\n | ........^",
    })
  })

  test('rejects an expression that is nested too deeply', () => {
    expect(outcome(`${'('.repeat(300)}1${')'.repeat(300)} == 1`)).toContain('expression recursion limit exceeded: 250')
    expect(outcome(`${'1 + '.repeat(20_000)}1 == 1`)).toContain('expression recursion limit exceeded: 250')
  })
})

test('treats names of JavaScript object properties as ordinary fields', () => {
  expect(outcome('has(labels.constructor) || has(labels.__proto__) || "toString" in labels')).toBe(false)
  expect(outcome('labels.constructor == ""')).toBe('no such key: constructor')
})

test('reports 100 errors of an expression and the number of further errors', () => {
  const issues = Array.from({ length: 5_000 }, (_, at) => ({ at, message: 'Syntax error' }))
  const lines = formatIssues('`'.repeat(5_000), issues).split('\n')
  expect(lines.filter((line) => line.startsWith('ERROR: '))).toHaveLength(100)
  expect(lines.at(-1)).toBe('4900 more errors were truncated')
})
