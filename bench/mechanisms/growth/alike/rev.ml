(* Lists are built from the front and reversed; short lists are appended. *)
let rec build acc i n =
  if i = n then List.rev acc
  else build ((string_of_int i ^ String.concat "," ([ "a" ] @ [ "b"; "c" ])) :: acc) (i + 1) n

let rec rounds k n sum =
  if k = 0 then sum else rounds (k - 1) n (sum + List.length (build [] 0 n))

let () = print_int (rounds 20 (int_of_string Sys.argv.(1)) 0)
