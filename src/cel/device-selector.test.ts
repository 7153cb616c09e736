import { describe, expect, it } from 'vitest'
import { compileDeviceSelector, maxSelectorCost, selectorMaxCost } from './device-selector.ts'
import { evaluate } from './evaluator.ts'

// Recorded from k8s.io/dynamic-resource-allocation/cel of v1.36.4; v1.37.1 gives the same answers.
const costs: Readonly<Record<string, number>> = {
  'device.driver == "gpu.example.com"': 4,
  'device.attributes["gpu.example.com"].model == "a100"': 5,
  'device.attributes["gpu.example.com"].healthy': 4,
  'device.attributes["gpu.example.com"].memory > 5': 5,
  'device.capacity["gpu.example.com"].memory.compareTo(quantity("10Gi")) >= 0': 7,
  'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("10Gi"))': 6,
  'device.attributes["a"].b.lowerAscii() == "x"': 12,
  'device.attributes["a"].b.matches("^x.*")': 11,
  'device.attributes["a"].v.isGreaterThan(semver("1.2.3"))': 6,
  'device.attributes["a"].v.compareTo(semver("1.2.3")) == 0': 7,
  '"a" in device.attributes': 3,
  '"model" in device.attributes["a"]': 4,
  'has(device.attributes["a"].model)': 3,
  'device.attributes["a"].?model.orValue("") == "x"': 6,
  'device.attributes.exists(d, d == "a")': 195,
  'device.attributes.all(d, device.attributes[d].exists(n, n == "x"))': 6403,
  'device.attributes.all(d, device.attributes[d].all(n, device.attributes.all(e, device.attributes[e].all(m, device.attributes[d][n] == device.attributes[e][m]))))': 23337219,
  'device.attributes.all(d, device.attributes.all(e, device.attributes.all(f, device.attributes.all(g, d+e+f+g != ""))))': 68360387,
  'cel.bind(dra, device.attributes["a"], dra.x && dra.y)': 17,
  'device.allowMultipleAllocations': 2,
  'device.driver.size() > 3': 4,
  true: 0,
  'device.attributes["a"].x + device.attributes["a"].y == 3': 22,
  '[1,2,3].all(x, x > 0)': 26,
  'device.attributes["a"]["b"] in ["x", "y"]': 16,
  'device.capacity["a"].b.asInteger() > 3': 6,
  'device.capacity["a"].b == quantity("1")': 6,
  'device.capacity.exists(d, device.capacity[d].exists(n, device.capacity[d][n].isGreaterThan(quantity("1"))))': 12579,
  'device.attributes["a"].s.startsWith("x") && device.attributes["a"].s.endsWith("y")': 10,
  'device.attributes["a"].s.split("-").size() > 2': 19,
  'device.attributes["a"].s.replace("x", "y") == "z"': 18,
  'isSemver(device.attributes["a"].s)': 11,
  'device.attributes["a"].b.contains("x")': 11,
  'string(device.attributes["a"].n) == "1"': 12,
  '(device.attributes["a"].b ? device.attributes["a"].c : device.attributes["a"].d)': 8,
  'device.attributes["a"].b ? true : device.attributes["a"].d': 8,
  'device.attributes["a"].map(x, x).size() > 3': 432,
  'device.attributes.map(x, device.attributes[x]).exists(m, m.model == "x")': 750,
  '!device.attributes["a"].b': 5,
}

const errors: Readonly<Record<string, string>> = {
  'device.nosuch': "compilation failed: ERROR: <input>:1:7: undefined field 'nosuch'\n | device.nosuch\n | ......^",
  'device.driver': 'must evaluate to bool or the unknown type, not string',
  '1': 'must evaluate to bool or the unknown type, not int',
  'dyn(true)': 'must evaluate to bool or the unknown type, not dyn',
  '': "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  'device.driver = "x"':
    'compilation failed: ERROR: <input>:1:15: Syntax error: token recognition error at: \'= \'\n | device.driver = "x"\n | ..............^\nERROR: <input>:1:17: Syntax error: extraneous input \'"x"\' expecting <EOF>\n | device.driver = "x"\n | ................^',
  'device.attributes["a"].b.exists(x, x == 1)':
    'compilation failed: ERROR: <input>:1:23: expression of type \'any\' cannot be range of a comprehension (must be list, map, or dynamic)\n | device.attributes["a"].b.exists(x, x == 1)\n | ......................^',
  'nosuch.x':
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nosuch' (in container '')\n | nosuch.x\n | ^",
  'device.driver + 1 == "x"':
    "compilation failed: ERROR: <input>:1:15: found no matching overload for '_+_' applied to '(string, int)'\n | device.driver + 1 == \"x\"\n | ..............^",
  'device.driver.matches("(")':
    'compilation failed: ERROR: <input>:1:23: invalid matches argument\n | device.driver.matches("(")\n | ......................^',
  'device.capacity["a"].b.sign() > 0':
    "compilation failed: ERROR: <input>:1:28: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'\n | device.capacity[\"a\"].b.sign() > 0\n | ...........................^",
  'device.attributes["a"].includes("x")':
    'compilation failed: ERROR: <input>:1:32: undeclared reference to \'includes\' (in container \'\')\n | device.attributes["a"].includes("x")\n | ...............................^',
  'device.attributes': 'must evaluate to bool or the unknown type, not map(string, map(string, google.protobuf.Any))',
  '[device.driver]': 'must evaluate to bool or the unknown type, not list(string)',
  'device.attributes[1].x':
    "compilation failed: ERROR: <input>:1:18: found no matching overload for '_[_]' applied to '(map(string, map(string, any)), int)'\n | device.attributes[1].x\n | .................^",
  'device.attributes["a"].b.sort()': 'must evaluate to bool or the unknown type, not dyn',
}

describe('selectors of devices', () => {
  const compile = (expression: string, listTypeAttributes = false, minor = 36) =>
    compileDeviceSelector(expression, { consumableCapacity: true, listTypeAttributes, minor })

  it.each(Object.entries(costs))('estimates that the device selector %s costs at most %d', (expression, cost) => {
    const { program } = compile(expression)
    expect(program === undefined ? undefined : selectorMaxCost(program)).toBe(cost)
  })

  it.each(Object.entries(errors))(
    'refuses the device selector %s with the message of Kubernetes',
    (expression, error) => {
      expect(compile(expression).error).toBe(error)
    },
  )

  it('lets device selectors iterate over attributes only if attributes can be lists', () => {
    const expression = 'device.attributes["a"].b.exists(x, x == 1)'
    expect(compile(expression).error).toContain("expression of type 'any' cannot be range of a comprehension")
    expect(compile(expression, true).error).toBeUndefined()
  })

  it('a device selector has the function includes only where attributes can be lists', () => {
    const expression = 'device.attributes["a"].b.includes("x")'
    expect(compile(expression).error).toContain("undeclared reference to 'includes'")
    const { program } = compile(expression, true)
    expect(program === undefined ? undefined : selectorMaxCost(program)).toBe(52)
    const { program: newer } = compile(expression, true, 37)
    expect(newer === undefined ? undefined : selectorMaxCost(newer)).toBe(68)
    const { program: ofMap } = compile('device.attributes["a"].includes("x")', true, 37)
    expect(ofMap === undefined ? undefined : selectorMaxCost(ofMap)).toBe(259)
  })

  it('refuses includes in v1.36 on a list of more than 48 values when the value is not among the first', () => {
    const answer = (expression: string, minor = 36) => {
      const { program } = compile(expression, true, minor)
      return program === undefined ? undefined : evaluate(program, new Map(), maxSelectorCost)
    }
    expect(answer('lists.range(49).includes(47)')).toMatchObject({ ok: true, value: true })
    expect(answer('lists.range(49).includes(49)', 37)).toMatchObject({ ok: true, value: false })
    expect(answer('lists.range(48).includes(48)')).toMatchObject({ ok: true, value: false })
    expect(answer('lists.range(49).includes(48)')).toMatchObject({
      error: { message: "'includes' function cannot be applied to lists longer than 48 values" },
    })
  })
})
