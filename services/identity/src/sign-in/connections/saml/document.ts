/**
 * XML as SAML messages need it: one parser (that of the signature library), no document type, no
 * comment, no second element of one id, bounded. A fault is an exception, not a guess.
 */
import { createRequire } from 'node:module';

/** The part of @xmldom/xmldom in use. Its own types bring the browser's globals along. */
export type XmlNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly nodeValue: string | null;
  readonly parentNode: XmlNode | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
};
export type XmlElement = XmlNode & {
  readonly attributes: { readonly length: number; item(index: number): XmlNode };
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
};
type XmlDocument = XmlNode & { readonly documentElement: XmlElement | null };
type Parser = { parseFromString(xml: string, mimeType: string): XmlDocument | undefined };
type Options = { readonly errorHandler: (level: string, message: string) => void };
type Xmldom = { readonly DOMParser: new (options: Options) => Parser };

/** As the signature library resolves it: two parsers would see two messages. */
const library = createRequire(createRequire(import.meta.url).resolve('@node-saml/node-saml'));
const { DOMParser } = library('@xmldom/xmldom') as Xmldom;

/** Why a message is refused. The log and the organization's test get it, the browser a code. */
export class SamlRefusal extends Error {
  override readonly name = 'SamlRefusal';
}

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const;
type Namespace = keyof typeof namespaces;

const element = 1;
const text = 3;
const mostDepth = 40;
const mostElements = 5_000;
const mostAttributes = 10_000;
const mostPrefixes = 50;

/**
 * Asked before the parser, which is quadratic in the prefixes that it knows, and in the attributes
 * of an element. It would also expand what a document type declares.
 */
function assertModest(xml: string): void {
  if (xml.includes('<!')) throw new SamlRefusal('the message holds a document type, an entity, a comment or CDATA');
  if (/<\?(?!xml[\s?])/.test(xml)) throw new SamlRefusal('the message holds a processing instruction');
  const countOf = (pattern: RegExp) => xml.match(pattern)?.length ?? 0;
  const prefixes = new Set(Array.from(xml.matchAll(/\sxmlns:([^\s=]{1,100})/g), ([, prefix]) => prefix));
  const isHuge = countOf(/</g) > 2 * mostElements || countOf(/=/g) > mostAttributes || prefixes.size > mostPrefixes;
  if (isHuge) throw new SamlRefusal('the message is too deep or too large');
}

/** The root element of a message that holds elements, attributes and text only. */
export function parseXml(xml: string): XmlElement {
  assertModest(xml);
  const refuse = () => {
    throw new SamlRefusal('the message is not well-formed XML');
  };
  const root = new DOMParser({ errorHandler: refuse }).parseFromString(xml, 'text/xml')?.documentElement;
  if (root == null) throw new SamlRefusal('the message is not well-formed XML');
  assertPlain(root);
  return root;
}

/** Without a node that verifiers and readers may see differently, and without an id used twice. */
function assertPlain(root: XmlElement): void {
  const ids = new Set<string>();
  let count = 0;
  const visit = (node: XmlNode, depth: number): void => {
    if (node.nodeType === text) return;
    if (node.nodeType !== element) throw new SamlRefusal('the message holds a node that is no element and no text');
    count += 1;
    if (count > mostElements || depth > mostDepth) throw new SamlRefusal('the message is too deep or too large');
    const { attributes } = node as XmlElement;
    for (let index = 0; index < attributes.length; index += 1) {
      const { nodeName, localName, nodeValue } = attributes.item(index);
      if ((localName ?? nodeName).toLowerCase() !== 'id' || nodeValue === null) continue;
      if (ids.has(nodeValue)) throw new SamlRefusal('an ID stands at two elements');
      ids.add(nodeValue);
    }
    for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(child, depth + 1);
  };
  visit(root, 0);
}

export function isNamed(node: XmlNode, namespace: Namespace, name: string): node is XmlElement {
  return node.nodeType === element && node.namespaceURI === namespaces[namespace] && node.localName === name;
}

export function childrenOf(parent: XmlElement, namespace: Namespace, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (isNamed(child, namespace, name)) found.push(child);
  }
  return found;
}

/** The only one of its name; refuses none and several. */
export function onlyChild(parent: XmlElement, namespace: Namespace, name: string): XmlElement {
  const [child, ...more] = childrenOf(parent, namespace, name);
  if (child === undefined) throw new SamlRefusal(`${name} is missing`);
  if (more.length > 0) throw new SamlRefusal(`${name} is there more than once`);
  return child;
}

/** Elements of the local name anywhere below, in whatever namespace. */
export function descendantsNamed(parent: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType !== element) continue;
    if (child.localName === name) found.push(child as XmlElement);
    found.push(...descendantsNamed(child as XmlElement, name));
  }
  return found;
}

/** The text of an element that holds nothing but text, without white space of XML at its ends. */
export function textOf(parent: XmlElement): string {
  let whole = '';
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType !== text) throw new SamlRefusal(`${parent.localName} holds more than text`);
    whole += child.nodeValue ?? '';
  }
  // No other white space: it may be a part of a name.
  return whole.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}
