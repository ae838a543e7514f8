(* OP LENGTH ROUNDS: an operation on a container of that length, once a round. *)
let length = int_of_string Sys.argv.(2)
let items = List.init length (fun i -> i * 3)
let pairs = List.map (fun i -> (i, i)) items
let vector = Array.of_list items
let text = String.make length 'x'
let other = Hashtbl.create 64
let sink = ref 0

let work i =
  let k = i mod 64 in
  Hashtbl.replace other k (i + try Hashtbl.find other k with Not_found -> 0)

let append i = sink := !sink + List.hd (items @ [ i ]) (* WASTE append *)
let nth i = sink := !sink + List.nth items (length - 1) + i (* WASTE nth *)
let len i = sink := !sink + List.length items + i (* WASTE len *)
let mem i = if List.mem (-i - 1) items then incr sink (* WASTE mem *)
let memq i = if List.memq (-i - 1) items then incr sink (* WASTE memq *)
let assoc i = if List.assoc_opt (-i - 1) pairs <> None then incr sink (* WASTE assoc *)
let mem_assoc i = if List.mem_assoc (-i - 1) pairs then incr sink (* WASTE mem_assoc *)
let exists i = if List.exists (fun v -> v = -i - 1) items then incr sink (* WASTE exists *)
let find i = if List.find_opt (fun v -> v = -i - 1) items <> None then incr sink (* WASTE find *)
let filter i = sink := !sink + List.length (List.filter (fun v -> v = i) items) (* WASTE filter *)
let concat i = sink := !sink + String.length (text ^ string_of_int i) (* WASTE concat *)
let sub i = sink := !sink + String.length (String.sub text 1 (length - 1)) + i (* WASTE sub *)
let array i = sink := !sink + Array.length (Array.append vector [| i |]) (* WASTE array *)
let copy i = let c = Array.copy vector in c.(0) <- i; sink := !sink + c.(1) (* WASTE copy *)
let rev i = sink := !sink + List.hd (List.rev items) + i (* WASTE rev *)

let ops =
  [ "append", append; "nth", nth; "len", len; "mem", mem; "memq", memq; "assoc", assoc; "mem_assoc", mem_assoc;
    "exists", exists; "find", find; "filter", filter; "concat", concat; "sub", sub; "array", array; "copy", copy; "rev", rev ]

let () =
  let run = List.assoc Sys.argv.(1) ops in
  for i = 1 to int_of_string Sys.argv.(3) do
    run i;
    work i
  done;
  print_int !sink
