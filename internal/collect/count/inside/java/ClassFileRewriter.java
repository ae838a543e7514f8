package whyhot;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Attributes;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Map;

/** Changes classes by what JVMs have for that from 24 on. */
final class ClassFileRewriter implements Rewriter {
	private static final ClassDesc COUNTER = ClassDesc.of("java.lang.WhyhotCounter");

	@Override
	public byte[] rewrite(byte[] text, ClassLoader loader, Map<String, Integer> methods, Left left) {
		ClassLoader of = loader == null ? ClassLoader.getSystemClassLoader() : loader;
		ClassFile api = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(of).orElse(ClassHierarchyResolver.defaultResolver())));
		ClassModel model = api.parse(text);
		boolean[] changed = {false};
		byte[] out = api.transformClass(model, (b, e) -> {
			Integer number = e instanceof MethodModel m ? methods.get(m.methodName().stringValue() + m.methodType().stringValue()) : null;
			if (number == null) {
				b.with(e);
				return;
			}
			MethodModel m = (MethodModel) e;
			if (m.code().isEmpty()) {
				left.method(number, "it has no byte code");
				b.with(e);
			} else if (intrinsic(m)) {
				left.method(number, "the JVM has machine code of its own for it");
				b.with(e);
			} else {
				changed[0] = true;
				b.transformMethod(m, MethodTransform.transformingCode(new Body(m, number)));
			}
		});
		return changed[0] ? out : null;
	}

	private static boolean intrinsic(MethodModel m) {
		return m.findAttribute(Attributes.runtimeVisibleAnnotations()).map(all -> all.annotations().stream().anyMatch(a -> a.className().stringValue().endsWith("IntrinsicCandidate;"))).orElse(false);
	}

	private static final class Body implements CodeTransform {
		private final int number;
		private final boolean constructor, receiver;
		private final MethodTypeDesc type;
		private Label begin;
		private int made; // objects that were made and whose constructors were not called yet

		Body(MethodModel m, int number) {
			this.number = number;
			constructor = m.methodName().equalsString("<init>");
			receiver = !constructor && !m.flags().has(AccessFlag.STATIC);
			type = m.methodTypeSymbol();
		}

		@Override
		public void atStart(CodeBuilder b) {
			b.loadConstant(number).invokestatic(COUNTER, "enter", MethodTypeDesc.ofDescriptor("(I)Z"));
			if (!constructor) {
				begin = b.newBoundLabel();
			}
			b.ifThen(then -> {
				int at = 0;
				then.loadConstant(type.parameterCount() + (receiver ? 1 : 0)).anewarray(ConstantDescs.CD_Object);
				if (receiver) {
					then.dup().loadConstant(at++).aload(0).aastore();
				}
				for (int i = 0; i < type.parameterCount(); i++) {
					ClassDesc t = type.parameterType(i);
					then.dup().loadConstant(at++).loadLocal(TypeKind.from(t), then.parameterSlot(i));
					if (t.isPrimitive()) {
						ClassDesc box = box(t);
						then.invokestatic(box, "valueOf", MethodTypeDesc.of(box, t));
					}
					then.aastore();
				}
				then.loadConstant(number).invokestatic(COUNTER, "given", MethodTypeDesc.ofDescriptor("([Ljava/lang/Object;I)V"));
			});
		}

		private static ClassDesc box(ClassDesc t) {
			return switch (TypeKind.from(t)) {
				case BOOLEAN -> ConstantDescs.CD_Boolean;
				case BYTE -> ConstantDescs.CD_Byte;
				case CHAR -> ConstantDescs.CD_Character;
				case SHORT -> ConstantDescs.CD_Short;
				case INT -> ConstantDescs.CD_Integer;
				case LONG -> ConstantDescs.CD_Long;
				case FLOAT -> ConstantDescs.CD_Float;
				default -> ConstantDescs.CD_Double;
			};
		}

		@Override
		public void accept(CodeBuilder b, CodeElement e) {
			if (e instanceof ReturnInstruction) {
				ClassDesc t = type.returnType();
				ClassDesc value = switch (TypeKind.from(t)) {
					case BYTE, SHORT -> ConstantDescs.CD_int;
					case REFERENCE -> ConstantDescs.CD_Object;
					default -> t;
				};
				boolean none = t.equals(ConstantDescs.CD_void);
				if (!none && TypeKind.from(t).slotSize() == 2) {
					b.dup2();
				} else if (!none) {
					b.dup();
				}
				b.loadConstant(number);
				b.invokestatic(COUNTER, "leave", none ? MethodTypeDesc.ofDescriptor("(I)V") : MethodTypeDesc.of(ConstantDescs.CD_void, value, ConstantDescs.CD_int));
			}
			b.with(e);
			if (e instanceof NewObjectInstruction) {
				made++;
			} else if (begin == null && e instanceof InvokeInstruction i && i.opcode() == Opcode.INVOKESPECIAL && i.name().equalsString("<init>")) {
				if (made > 0) {
					made--;
				} else {
					begin = b.newBoundLabel(); // the object is one only now: before, no exception can be handled
				}
			}
		}

		@Override
		public void atEnd(CodeBuilder b) {
			if (begin == null) {
				return;
			}
			Label end = b.newBoundLabel();
			b.exceptionCatchAll(begin, end, end); // the last: what the method has comes first
			b.loadConstant(number).invokestatic(COUNTER, "fail", MethodTypeDesc.ofDescriptor("(I)V")).athrow();
		}
	}
}
