/**
 * The protobuf form in which `kubectl create` sends a few built-in kinds. The envelope is `runtime.Unknown` of
 * k8s.io/apimachinery behind four magic bytes; field numbers are those of the kinds' generated.proto.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from './kube-object';
import { StatusError } from './status-error';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const MAGIC = Buffer.from('k8s\0');

type Field =
  | { readonly name: string; readonly type: 'string' | 'bool' }
  | { readonly name: string; readonly type: 'texts' | 'blobs' }
  | { readonly name: string; readonly type: 'message'; readonly of: Message };
/** By field number. Fields that are not listed are skipped. */
type Message = Readonly<Record<number, Field>>;

const string = (name: string): Field => ({ name, type: 'string' });
const message = (name: string, of: Message): Field => ({ name, type: 'message', of });

const METADATA = message('metadata', {
  1: string('name'),
  2: string('generateName'),
  3: string('namespace'),
  11: { name: 'labels', type: 'texts' },
  12: { name: 'annotations', type: 'texts' },
});

const ACCESS = message('spec', {
  1: message('resourceAttributes', {
    1: string('namespace'),
    2: string('verb'),
    3: string('group'),
    4: string('version'),
    5: string('resource'),
    6: string('subresource'),
    7: string('name'),
  }),
  2: message('nonResourceAttributes', { 1: string('path'), 2: string('verb') }),
});

const KINDS: Readonly<Record<string, Message>> = {
  Namespace: { 1: METADATA },
  ServiceAccount: { 1: METADATA },
  SelfSubjectReview: { 1: METADATA },
  SelfSubjectAccessReview: { 1: METADATA, 2: ACCESS },
  DeleteOptions: { 2: message('preconditions', { 1: string('uid') }) },
  ConfigMap: {
    1: METADATA,
    2: { name: 'data', type: 'texts' },
    3: { name: 'binaryData', type: 'blobs' },
    4: { name: 'immutable', type: 'bool' },
  },
  Secret: {
    1: METADATA,
    2: { name: 'data', type: 'blobs' },
    3: string('type'),
    4: { name: 'stringData', type: 'texts' },
    5: { name: 'immutable', type: 'bool' },
  },
};

function readFields(bytes: Uint8Array, onField: (number: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const expected = wireType === WireType.LengthDelimited || wireType === WireType.Varint;
    if (!expected || !onField(number, reader)) {
      reader.skip(wireType);
    }
  }
}

function readEntry(bytes: Uint8Array, type: 'texts' | 'blobs'): [string, string] {
  let [key, value] = ['', ''];
  readFields(bytes, (number, reader) => {
    if (number === 1) {
      key = reader.string();
    } else {
      value = type === 'texts' ? reader.string() : Buffer.from(reader.bytes()).toString('base64');
    }
    return true;
  });
  return [key, value];
}

function decodeMessage(bytes: Uint8Array, fields: Message): JsonObject {
  const out: JsonObject = {};
  readFields(bytes, (number, reader) => {
    const field = fields[number];
    if (field === undefined) {
      return false;
    }
    switch (field.type) {
      case 'string': {
        const text = reader.string();
        // gogo-proto writes empty strings, too; in JSON they would be absent.
        if (text !== '') {
          out[field.name] = text;
        }
        return true;
      }
      case 'bool':
        out[field.name] = reader.bool();
        return true;
      case 'message':
        out[field.name] = decodeMessage(reader.bytes(), field.of);
        return true;
      case 'texts':
      case 'blobs': {
        const [key, value] = readEntry(reader.bytes(), field.type);
        out[field.name] = { ...(out[field.name] as JsonObject | undefined), [key]: value };
        return true;
      }
    }
  });
  return out;
}

export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new StatusError('BadRequest', 'the body does not start as Kubernetes protobuf does');
  }
  let type: JsonObject = {};
  let raw: Uint8Array = new Uint8Array();
  readFields(body.subarray(MAGIC.length), (number, reader) => {
    if (number > 2) {
      return false;
    }
    if (number === 1) {
      type = decodeMessage(reader.bytes(), { 1: string('apiVersion'), 2: string('kind') });
    } else {
      raw = reader.bytes();
    }
    return true;
  });
  const fields = KINDS[String(type['kind'])];
  if (fields === undefined) {
    throw new StatusError('UnsupportedMediaType', `a ${String(type['kind'])} is understood only as JSON`);
  }
  return { ...type, ...decodeMessage(raw, fields) };
}
