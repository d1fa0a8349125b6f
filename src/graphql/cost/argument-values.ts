import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  type VariableNode,
} from 'graphql';

/** No input of the schema is deeper; what is sent may be. */
const INPUT_DEPTH = 8;

/**
 * What the arguments of an operation's fields come to with the variables that were sent, raw and not yet checked. What is
 * not of the kind that is asked for is undefined: validation and the coercion of variables refuse it.
 */
export class ArgumentValues {
  /** Whether a value that was sent had a say so far. */
  readsVariables = false;
  readonly #sent: Record<string, unknown>;
  readonly #defaults = new Map<string, ValueNode>();
  readonly #longest = new Map<string, number>();

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, sent: Record<string, unknown>) {
    this.#sent = sent;
    for (const { variable, defaultValue } of variableDefinitions) {
      if (defaultValue) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  integer(node: FieldNode, name: string): number | undefined {
    const { sent, literal } = this.#valueOf(argumentOf(node, name));
    if (typeof sent === 'number' && Number.isInteger(sent)) return sent;
    return literal?.kind === Kind.INT ? Number(literal.value) : undefined;
  }

  /** Of a string or an enumeration. */
  text(node: FieldNode, name: string): string | undefined {
    const { sent, literal } = this.#valueOf(argumentOf(node, name));
    if (typeof sent === 'string') return sent;
    return literal?.kind === Kind.STRING || literal?.kind === Kind.ENUM ? literal.value : undefined;
  }

  listLength(node: FieldNode, name: string): number | undefined {
    return this.#lengthOf(argumentOf(node, name));
  }

  /** The length of the longest list at any depth of an input object; 0 where there is none. */
  longestListIn(node: FieldNode, name: string): number {
    return this.#longestIn(argumentOf(node, name), 0);
  }

  #longestIn(value: ValueNode | undefined, depth: number): number {
    if (depth > INPUT_DEPTH) return 0;
    if (value?.kind === Kind.VARIABLE) return this.#longestOf(value);
    if (value?.kind === Kind.LIST)
      return mostOf(value.values, (item) => this.#longestIn(item, depth + 1), value.values.length);
    if (value?.kind !== Kind.OBJECT) return 0;
    return mostOf(value.fields, (field) => this.#longestIn(field.value, depth + 1));
  }

  /** Looked through once, as it may stand in a list some hundred times. */
  #longestOf(variable: VariableNode): number {
    const name = variable.name.value;
    const known = this.#longest.get(name);
    const { sent, literal } = this.#valueOf(variable);
    if (known !== undefined) return known;
    const longest = sent === undefined ? this.#longestIn(literal, 0) : longestSent(sent, 0);
    this.#longest.set(name, longest);
    return longest;
  }

  #lengthOf(value: ValueNode | undefined): number | undefined {
    const { sent, literal } = this.#valueOf(value);
    if (Array.isArray(sent)) return sent.length;
    return literal?.kind === Kind.LIST ? literal.values.length : undefined;
  }

  /** What was sent for a variable, and the literal that stands for a value: itself, or the default of one that was not sent. */
  #valueOf(value: ValueNode | undefined): { sent?: unknown; literal?: ValueNode | undefined } {
    if (value?.kind !== Kind.VARIABLE) return { literal: value };
    this.readsVariables = true;
    const name = value.name.value;
    const sent = Object.hasOwn(this.#sent, name) ? this.#sent[name] : undefined;
    return sent === undefined ? { literal: this.#defaults.get(name) } : { sent };
  }
}

function longestSent(sent: unknown, depth: number): number {
  if (typeof sent !== 'object' || sent === null || depth > INPUT_DEPTH) return 0;
  const ofPart = (part: unknown) => longestSent(part, depth + 1);
  return Array.isArray(sent) ? mostOf(sent, ofPart, sent.length) : mostOf(Object.values(sent), ofPart);
}

function mostOf<T>(parts: readonly T[], of: (part: T) => number, least = 0): number {
  return parts.reduce((most, part) => Math.max(most, of(part)), least);
}

function argumentOf(node: FieldNode, name: string): ValueNode | undefined {
  return node.arguments?.find((argument) => argument.name.value === name)?.value;
}
